/** One of several processes on one store. Reads tasks from standard input, answers on standard output. */

import { perform } from "./perform.ts";
import { serve } from "./serve.ts";

await serve(perform);

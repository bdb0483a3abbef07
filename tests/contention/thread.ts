/** One of several Workers of a process, all on one store. */

import { serveThread } from "../kit/thread.ts";
import { perform } from "./perform.ts";

serveThread(perform);

/** Runs the command line in this process, which sends itself a signal once its terminal shows a text. */

import { runCommandLine } from "../../src/cli/command_line.ts";
import { Collected } from "./collected.ts";

/** A terminal for notes. */
class Interrupting extends Collected {
  readonly #signal: Deno.Signal;
  readonly #shown: RegExp;
  #isSent = false;

  constructor(signal: Deno.Signal, shown: string) {
    super();
    this.#signal = signal;
    this.#shown = new RegExp(shown);
  }

  override writeSync(bytes: Uint8Array): number {
    const written = super.writeSync(bytes);
    if (!this.#isSent && this.#shown.test(this.text)) {
      this.#isSent = true;
      Deno.kill(Deno.pid, this.#signal);
    }
    return written;
  }

  override isTerminal(): boolean {
    return true;
  }
}

if (import.meta.main) {
  const [signal, shown, ...words] = Deno.args;
  const errors = new Interrupting(signal as Deno.Signal, shown!);
  const code = await runCommandLine(words, { output: Deno.stdout, errors });
  await Deno.stderr.write(new TextEncoder().encode(errors.text));
  Deno.exit(code);
}

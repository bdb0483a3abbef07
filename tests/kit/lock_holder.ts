/** Another process that holds a database's write lock, with a change under way, until it is told to go or is killed. */

import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";

/** One such process. */
export class LockHolder implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;

  private constructor(process: Deno.ChildProcess) {
    this.#process = process;
  }

  /** Starts it; resolves once it holds the lock. */
  static async hold(path: string): Promise<LockHolder> {
    const process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", import.meta.filename!, path],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const reader = process.stdout.getReader();
    await reader.read();
    reader.releaseLock();
    return new LockHolder(process);
  }

  /** Lets it roll back and end. */
  async release(): Promise<void> {
    await this.#process.stdin.close();
    await this.#process.status;
  }

  /** Kills it in the middle of its transaction. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#process.status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#process.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await this.#process.stdin.close().catch(() => {});
    await this.#process.stdout.cancel();
    await this.#process.status;
  }
}

if (import.meta.main) {
  const connection = nodeSqlite.open(Deno.args[0]!, { readOnly: false });
  connection.prepare("BEGIN IMMEDIATE").run([]);
  connection.prepare("UPDATE meta SET probe = probe + 1").run([]);
  Deno.stdout.writeSync(new TextEncoder().encode("held\n"));
  for await (const _chunk of Deno.stdin.readable);
  connection.prepare("ROLLBACK").run([]);
  connection.close();
}

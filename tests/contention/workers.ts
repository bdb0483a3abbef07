/** Starts worker processes, lets them begin at one moment, and collects their answers. */

import type { Answer, Task } from "./task.ts";

const WORKER = new URL("./worker.ts", import.meta.url).pathname;

/** A worker that answered with an error. */
export class WorkerError extends Error {
  /** The error's code or reason in the worker. */
  readonly code: string;

  constructor({ code, message, stack }: Answer & { readonly type: "error" }) {
    super(`${code}: ${message}\n${stack}`);
    this.code = code;
  }
}

/** One process. Its tasks begin when they are written to it: being ready and waiting, all begin at once. */
export class Worker<Job = Task> implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #answers: AsyncIterator<Answer>;

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#answers = readAnswers(child.stdout);
  }

  /** Starts a process and waits until it has loaded everything. */
  static async start<Job = Task>(script: string = WORKER): Promise<Worker<Job>> {
    const worker = new Worker<Job>(
      new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-prompt", script],
        stdin: "piped",
        stdout: "piped",
        stderr: "inherit",
      }).spawn(),
    );
    await worker.#answers.next();
    return worker;
  }

  /** Starts several. */
  static async startAll<Job = Task>(count: number, script: string = WORKER): Promise<Workers<Job>> {
    return new Workers(await Promise.all(Array.from({ length: count }, () => Worker.start<Job>(script))));
  }

  /** Gives it a task and waits for the answer; an error is thrown as {@linkcode WorkerError}. */
  async perform<T>(task: Job): Promise<T> {
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(task)}\n`));
    const { value: answer, done } = await this.#answers.next();
    if (done === true) throw new Error("the worker ended without an answer");
    if (answer.type === "error") throw new WorkerError(answer);
    return answer.type === "done" ? answer.result as T : undefined as T;
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.status;
    await this.#writer.abort().catch(() => {});
    await this.#answers.return?.();
  }

  /** Lets it end by itself, once nothing more can come. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writer.close().catch(() => {});
    while ((await this.#answers.next()).done !== true);
    await this.#child.status;
  }
}

/** Several workers, given their tasks in one turn of the event loop. */
export class Workers<Job = Task> implements AsyncDisposable {
  readonly all: readonly Worker<Job>[];

  constructor(all: readonly Worker<Job>[]) {
    this.all = all;
  }

  /** Gives each a task at once, and waits for all answers. */
  perform<T>(task: (index: number) => Job): Promise<T[]> {
    return Promise.all(this.all.map((worker, index) => worker.perform<T>(task(index))));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.all.map((worker) => worker[Symbol.asyncDispose]()));
  }
}

async function* readAnswers(stdout: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<Answer> {
  let rest = "";
  for await (const text of stdout.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + text).split("\n");
    rest = parts.pop()!;
    for (const part of parts) yield JSON.parse(part) as Answer;
  }
}

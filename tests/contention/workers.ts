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

/** How many processes, and how many Workers of each do its tasks; none where the process does them itself. */
export interface Staff {
  readonly processes: number;
  readonly threads: number;
}

/** In words, for the names of tests. */
export function nameOf({ processes, threads }: Staff): string {
  return threads === 0 ? `${processes} processes` : `${threads} Workers in each of ${processes} processes`;
}

/** Writers that are threads: each has tasks of its own, and all begin at once. */
export class Crew implements AsyncDisposable {
  readonly #workers: Workers;
  readonly #threads: number;

  private constructor(workers: Workers, threads: number) {
    this.#workers = workers;
    this.#threads = threads;
  }

  static async start({ processes, threads }: Staff): Promise<Crew> {
    const workers = await Worker.startAll(processes);
    if (threads > 0) await workers.perform(() => ({ do: "start threads", count: threads }));
    return new Crew(workers, threads);
  }

  /** Gives each writer a task at once, and waits for all answers. */
  async perform<T>(task: (index: number) => Task): Promise<T[]> {
    const threads = this.#threads;
    if (threads === 0) return await this.#workers.perform<T>(task);
    const answers = await this.#workers.perform<T[]>((process) => ({
      do: "in threads",
      of: Array.from({ length: threads }, (_, thread) => task(process * threads + thread)),
    }));
    return answers.flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#threads > 0) await this.#workers.perform(() => ({ do: "end threads" }));
    await this.#workers[Symbol.asyncDispose]();
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

/** A Worker of this process, in which a module performs one task after the other; and its other end. */

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly stack: string };
}

/** A thread that answered with an error. */
export class ThreadError extends Error {
  /** The error's code or reason in the thread, or its name. */
  readonly code: string;

  constructor({ code, message, stack }: NonNullable<Answer["error"]>) {
    super(`${code}: ${message}\n${stack}`);
    this.code = code;
  }
}

/** One thread. It has an isolate of its own: what a module remembers in one isolate is unknown in the others. */
export class Thread<Task> implements Disposable {
  readonly #worker: Worker;
  readonly #waiting: PromiseWithResolvers<Answer>[] = [];

  /** Starts the module, which has to call {@linkcode serveThread}. */
  constructor(module: URL) {
    this.#worker = new Worker(module, { type: "module" });
    this.#worker.onmessage = ({ data }): void => this.#waiting.shift()!.resolve(data as Answer);
    this.#worker.onerror = (event): void => {
      event.preventDefault();
      for (const { reject } of this.#waiting.splice(0)) reject(new Error(event.message));
    };
  }

  /** Gives it a task and waits for the answer; an error is thrown as {@linkcode ThreadError}. */
  async perform<T>(task: Task): Promise<T> {
    const answer = Promise.withResolvers<Answer>();
    this.#waiting.push(answer);
    this.#worker.postMessage(task);
    const { result, error } = await answer.promise;
    if (error !== undefined) throw new ThreadError(error);
    return result as T;
  }

  /** Ends it at once, whatever it is doing. */
  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}

/** What a Worker's global scope has, and a page's has not. */
interface Scope {
  onmessage: (message: { readonly data: unknown }) => void;
  postMessage(answer: Answer): void;
}

/** Performs what comes from {@linkcode Thread.perform}, one task after the other; outside a Worker, does nothing. */
export function serveThread<Task>(perform: (task: Task) => Promise<unknown>): void {
  if (!("WorkerGlobalScope" in globalThis)) return;
  const scope = globalThis as unknown as Scope;
  let before: Promise<void> = Promise.resolve();
  scope.onmessage = ({ data }): void => {
    before = before.then(() => answer(() => perform(data as Task))).then((said) => scope.postMessage(said));
  };
}

async function answer(perform: () => Promise<unknown>): Promise<Answer> {
  try {
    return { result: await perform() };
  } catch (error) {
    const { name, message, stack = "", code, reason } = error as Error & { code?: string; reason?: string };
    return { error: { code: reason ?? code ?? name, message, stack } };
  }
}

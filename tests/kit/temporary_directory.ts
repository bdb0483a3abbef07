/** A private directory for one test, removed at its end. */
export class TemporaryDirectory implements AsyncDisposable {
  /** Its path. */
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<TemporaryDirectory> {
    return new TemporaryDirectory(await Deno.makeTempDir({ prefix: "holdfast-test-" }));
  }

  /** On a file system in memory where the machine has one, for tests that need many stores and no disk. */
  static async makeInMemory(): Promise<TemporaryDirectory> {
    try {
      return new TemporaryDirectory(await Deno.makeTempDir({ dir: "/dev/shm", prefix: "holdfast-test-" }));
    } catch {
      return await TemporaryDirectory.make();
    }
  }

  /** The path of a file in it. */
  file(name: string): string {
    return `${this.path}/${name}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

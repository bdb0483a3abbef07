/** Modules that are imported when they are first called for: every module counts at every start. */

/**
 * One such module. Calls take their place (in a queue, say) at once and wait for it there, so that the first call, which
 * has to load it, keeps its order among the others.
 */
export class LateModule<Module> {
  readonly #import: () => Promise<Module>;
  #module: Module | null = null;
  #loading: Promise<void> | undefined;
  #failure: unknown;

  constructor(load: () => Promise<Module>) {
    this.#import = load;
  }

  /** Begins to load it; undefined once it is there. Never rejects: {@linkcode LateModule.module} tells of a failure. */
  load(): Promise<void> | undefined {
    if (this.#module !== null) return undefined;
    this.#loading ??= this.#begin();
    return this.#loading;
  }

  /** The module; throws what kept it from being loaded. */
  get module(): Module {
    if (this.#module === null) throw this.#failure;
    return this.#module;
  }

  async #begin(): Promise<void> {
    try {
      this.#module = await this.#import();
    } catch (error) {
      this.#failure = error;
      this.#loading = undefined;
    }
  }
}

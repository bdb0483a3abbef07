/** TypeScript's own view of a tree: its syntax, its types, and whether a break would be refused by the compiler. */

import ts from "typescript";

const OPTIONS: ts.CompilerOptions = {
  allowImportingTsExtensions: true,
  exactOptionalPropertyTypes: true,
  lib: ["lib.esnext.d.ts"],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  strict: true,
  target: ts.ScriptTarget.ESNext,
  types: [],
};

/** The program of one tree; packages from outside it stay unresolved, and their values have any type. */
export class Compiler {
  readonly #root: string;
  readonly #files: readonly string[];
  readonly #host: ts.CompilerHost;
  readonly #parsed = new Map<string, ts.SourceFile | undefined>();
  readonly #errors = new Map<string, number>();
  readonly program: ts.Program;
  #changed: { readonly path: string; readonly source: ts.SourceFile } | null = null;

  /** Takes the root of the tree, with a slash at its end, files from there, and declarations of what is global. */
  constructor(root: string, files: readonly string[], globals: string | null = null) {
    this.#root = root;
    this.#files = [...files.map((file) => root + file), ...(globals === null ? [] : [globals])];
    this.#host = ts.createCompilerHost(OPTIONS);
    const read = this.#host.getSourceFile;
    this.#host.getSourceFile = (path, language) => {
      if (this.#changed?.path === path) return this.#changed.source;
      if (!this.#parsed.has(path)) this.#parsed.set(path, read(path, language));
      return this.#parsed.get(path);
    };
    this.program = ts.createProgram(this.#files, OPTIONS, this.#host);
  }

  /** The syntax of a file. */
  sourceOf(file: string): ts.SourceFile {
    return this.program.getSourceFile(this.#root + file)!;
  }

  /** Whether a file would still compile with another text: with no more errors than it has as it is. */
  accepts(file: string, text: string): boolean {
    const path = this.#root + file;
    const before = this.#errors.get(path) ?? countErrors(this.program, path);
    this.#errors.set(path, before);
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true);
    this.#changed = { path, source };
    const program = ts.createProgram(this.#files, OPTIONS, this.#host, this.program);
    this.#changed = null;
    return countErrors(program, path) <= before;
  }
}

function countErrors(program: ts.Program, path: string): number {
  const source = program.getSourceFile(path)!;
  return program.getSyntacticDiagnostics(source).length + program.getSemanticDiagnostics(source).length;
}

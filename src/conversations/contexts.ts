/**
 * What a conversation needs for its index and its contexts, in one place: it is imported when it is first called, since
 * every module counts at every start.
 */

export { toRetrieval } from "../context/configuration.ts";
export { assembleStored } from "./stored_context.ts";
export { validateAssembly, validateBatch, validateSearch } from "./context_options.ts";
export { readChunkIndex } from "../index/read_chunks.ts";
export { indexBatch } from "../index/index_run.ts";
export { searchStored } from "./search.ts";

/**
 * What a conversation needs for its index and its contexts, in one place: it is imported when it is first called, since
 * every module counts at every start.
 */

export { toRetrieval } from "../context/configuration.ts";
export { assembleStored } from "./assemble.ts";
export { judgeAssembly, judgeBatch, judgeSearch } from "./assemble_options.ts";
export { readChunkIndex } from "./index_chunks.ts";
export { indexBatch } from "./index_run.ts";
export { searchStored } from "./search.ts";

/** The version of this module, as `deno.json` has it; a test compares them. */
export const PACKAGE_VERSION = "0.1.0";

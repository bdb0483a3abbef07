/** The user id of `nobody`, who owns no files. */
const NOBODY = 65_534;

/** Switches this process to that user, if it runs as root on Linux; needs `--allow-ffi`. */
export function dropRoot(): void {
  const libc = Deno.dlopen("libc.so.6", {
    geteuid: { parameters: [], result: "u32" },
    setgroups: { parameters: ["usize", "pointer"], result: "i32" },
    setresgid: { parameters: ["u32", "u32", "u32"], result: "i32" },
    setresuid: { parameters: ["u32", "u32", "u32"], result: "i32" },
  });
  const { geteuid, setgroups, setresgid, setresuid } = libc.symbols;
  if (geteuid() !== 0) return;
  // In this order: without root the groups could no longer be dropped.
  const failed = setgroups(0n, null) | setresgid(NOBODY, NOBODY, NOBODY) | setresuid(NOBODY, NOBODY, NOBODY);
  if (failed !== 0 || geteuid() !== NOBODY) throw new Error("Cannot drop root");
}

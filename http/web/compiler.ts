/** How many use esbuild's process: ending it under another user would leave that one without an answer for ever. */
let users = 0;

/** Lends out esbuild, which is loaded only where something is made. Its process ends with its last user, since it would keep a command line from ending. */
export async function withCompiler<T>(use: (esbuild: typeof import("esbuild")) => Promise<T>): Promise<T> {
  const esbuild = await import("esbuild");
  users += 1;
  try {
    return await use(esbuild);
  } finally {
    users -= 1;
    if (users === 0) await esbuild.stop();
  }
}

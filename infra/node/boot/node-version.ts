/** The oldest Node that the sources run on (`import.meta.dirname`), as [major, minor]. */
const OLDEST = [20, 11] as const;

/** Why the relay does not start on this version of Node (`v18.20.8`), in one line; null if it does. */
export function refusedNode(version: string): string | null {
  const [major = 0, minor = 0] = version.replace(/^v/, "").split(".").map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return null;
  return `Node ${version} is too old for the relay, which requires ${OLDEST.join(".")} or newer: run npm start, which uses the Node 22 that npm ci installed`;
}

/** How often the parent is looked for: nobody waits for a relay to end by itself. */
const AGAIN_AFTER_MS = 1_000;

/** Whether this process is what `npm start` of this package runs. */
export function isRunByNpm(environment: { readonly [name: string]: string | undefined }): boolean {
  return environment["npm_lifecycle_event"] === "start" && environment["npm_package_name"] === "terminal-relay";
}

/**
 * Calls `ended` when the process that started this one has ended, and each second from then on: a node that is just starting cannot stop yet. npm hands on SIGTERM
 * and SIGINT only; where it is ended otherwise, a relay that stayed would keep the port and the data from the next start.
 */
export function whenParentEnds(ended: () => void, parentId: () => number = () => process.ppid): void {
  const atStart = parentId();
  setInterval(() => {
    if (parentId() !== atStart) ended();
  }, AGAIN_AFTER_MS).unref();
}

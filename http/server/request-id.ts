const ACCEPTABLE = /^[A-Za-z0-9._-]{1,64}$/;

/** Gives every request an id: the one that came with it where it is harmless, else a fresh one. */
export function requestIds(seed: string): (incoming: string) => string {
  const prefix = `${seed.replaceAll("-", "").slice(0, 12)}-`;
  let count = 0;
  return (incoming) => {
    if (incoming !== "" && ACCEPTABLE.test(incoming)) return incoming;
    count++;
    return prefix + count.toString(36);
  };
}

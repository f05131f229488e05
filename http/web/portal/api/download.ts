import { addressOf, answered, OURS, unanswered, withSession } from "./client.ts";

/** The relay has begun to answer within its own deadline, or will not. */
const BEGUN_MS = 15_000;

/**
 * Has the browser download a file. Before that it is asked for once, up to where its contents would begin: a refusal is told here rather than by a download that fails,
 * and where a fresh second factor is wanted, the person is asked for it. Rejects as `call` does.
 */
export async function download(path: string): Promise<void> {
  await withSession(() => begins(path));
  const link = document.createElement("a");
  link.href = addressOf(path);
  link.download = "";
  link.click();
}

async function begins(path: string): Promise<void> {
  const reading = new AbortController();
  const deadline = AbortSignal.timeout(BEGUN_MS);
  const response = await fetch(addressOf(path), {
    headers: OURS,
    credentials: "same-origin",
    cache: "no-store",
    redirect: "error",
    signal: AbortSignal.any([reading.signal, deadline]),
  }).catch((cause: unknown) => {
    throw unanswered(cause, undefined, deadline);
  });
  if (response.ok) {
    // The browser reads it, to where the person wants it.
    reading.abort();
    return;
  }
  // Throws what it says.
  answered<never>(response, await response.json().catch(() => undefined));
}

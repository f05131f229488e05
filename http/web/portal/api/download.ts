import { addressOf, answered, unanswered, withSession } from "./client.ts";
import { OURS } from "./early.ts";

/** The relay starts its answer within its own deadline, or never. */
const BEGUN_MS = 15_000;

/**
 * Makes the browser download a file. It first requests the file up to the start of its contents, so
 * that a rejection is shown here instead of a failed download, and the person is asked for a fresh
 * second factor if one is required. Rejects as `call` does.
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
    // The browser downloads the contents with a request of its own.
    reading.abort();
    return;
  }
  // Throws the error of the answer.
  answered<never>(response, await response.json().catch(() => undefined));
}

import { addressOf, answered, type Query, withSession } from "./client.ts";
import { OURS } from "./early.ts";
import { PortalError } from "./errors.ts";

/** The connection is lost if nothing moves for this long, however large the file is. */
const STALLED_MS = 30_000;

export interface UploadOptions {
  query?: Query;
  signal: AbortSignal;
  /** Receives the part that the browser has sent, from 0 to 1. */
  onProgress: (share: number) => void;
}

/**
 * Posts one file as the form field `file`. It uses XMLHttpRequest, because `fetch` does not report
 * progress. Rejects as `call` does.
 */
export function upload<T>(path: string, file: File, options: UploadOptions): Promise<T> {
  return withSession(() => uploadOnce<T>(path, file, options));
}

function uploadOnce<T>(path: string, file: File, { query = {}, signal, onProgress }: UploadOptions): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    let stalled = setTimeout(giveUp, STALLED_MS);
    function giveUp(): void {
      end(() => reject(new PortalError("timeout", 0, "There was no answer in time")));
      request.abort();
    }
    function end(settle: () => void): void {
      clearTimeout(stalled);
      signal.removeEventListener("abort", abort);
      settle();
    }
    function abort(): void {
      end(() => reject(new DOMException("Nobody waits for it any more", "AbortError")));
      request.abort();
    }
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    request.upload.addEventListener("progress", ({ loaded, total, lengthComputable }) => {
      clearTimeout(stalled);
      stalled = setTimeout(giveUp, STALLED_MS);
      if (lengthComputable && total > 0) onProgress(loaded / total);
    });
    request.addEventListener("error", () => end(() => reject(new PortalError("offline", 0, "There was no answer"))));
    request.addEventListener("load", () =>
      end(() => {
        try {
          resolve(answered<T>(request, answerOf(request.responseText)));
        } catch (error) {
          reject(error);
        }
      }),
    );
    request.open("POST", addressOf(path, query));
    for (const [name, value] of Object.entries({ Accept: "application/json", ...OURS })) {
      request.setRequestHeader(name, value);
    }
    const form = new FormData();
    form.append("file", file, file.name);
    request.send(form);
  });
}

/** A proxy that answers in place of the relay may not send JSON. */
function answerOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

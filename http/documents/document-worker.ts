import { parentPort } from "node:worker_threads";
import { hasActiveContent } from "./active-content.ts";
import type { ToDocumentWorker } from "./document-check.ts";

/** A thread that looks into one document and ends: a document can be made to take minutes. */
parentPort?.once("message", ({ kind, contents }: ToDocumentWorker) => {
  hasActiveContent(kind, contents)
    // What cannot be read cannot be vouched for.
    .catch(() => true)
    .then((isActive) => {
      parentPort?.postMessage(isActive);
      parentPort?.close();
    });
});

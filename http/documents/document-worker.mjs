// For the sources only, in JavaScript, because Node 20 ignores --import in a worker: it has to ask for TypeScript by itself.
import { register } from "tsx/esm/api";

register();
await import("./document-worker.ts");

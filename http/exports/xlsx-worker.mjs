// Runs the TypeScript sources. It is JavaScript and registers tsx by itself, because Node 20
// ignores --import in a worker.
import { register } from "tsx/esm/api";

register();
await import("./xlsx-worker.ts");

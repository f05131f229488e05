import type { RelayScan } from "./scan.d.ts";
import { createScanner } from "./scanner.ts";

const global: { RelayScan: RelayScan } = { RelayScan: { createScanner } };
Object.assign(globalThis, global);

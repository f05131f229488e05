export { createScanner } from "./scanner.ts";

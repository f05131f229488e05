/** `npm run build`: the relay as JavaScript. */
import { resolve } from "node:path";
import { Command } from "commander";
import { compile } from "./compile.ts";

const program = new Command("build")
  .description("Writes the relay as JavaScript, to be started with: node dist/infra/node/main.js")
  .option("--out <folder>", "packages are resolved from a node_modules folder in it or above it", "dist");

const { out } = program.parse().opts<{ out: string }>();
await compile(resolve(out)).catch((error: Error) => program.error(error.message));
console.log(`node ${out}/infra/node/main.js`);

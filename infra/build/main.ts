/** `npm run build`: the relay as JavaScript. */
import { resolve } from "node:path";
import { Option } from "commander";
import { commandLine } from "../command-line.ts";
import { compile } from "./compile.ts";

const program = commandLine("build")
  .description("Writes the relay as JavaScript; start it with: node dist/infra/node/main.js")
  .option("--out <folder>", "packages are loaded from a node_modules folder in it or above it", "dist")
  // What start.mjs asks for; it is of no use to people.
  .addOption(new Option("--for-start").hideHelp());

const { out, forStart } = program.parse().opts<{ out: string; forStart?: true }>();
await compile(resolve(out), forStart === true ? "start" : "build").catch((error: Error) => program.error(error.message));
console.log(`node ${out}/infra/node/main.js`);

import { fileURLToPath } from "node:url";

/**
 * Node's arguments to run a program of ours in a process of its own: `name` without its ending, relative to the module at `from`, its
 * `import.meta.url`. From the sources tsx reads it, from a build (infra/build) it is JavaScript. By addresses, so that the working directory does not matter.
 */
export function childProgram(name: string, from: string): string[] {
  if (!from.endsWith(".ts")) return [fileURLToPath(new URL(`${name}.js`, from))];
  return ["--import", import.meta.resolve("tsx"), fileURLToPath(new URL(`${name}.ts`, from))];
}

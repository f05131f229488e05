import { fileURLToPath } from "node:url";

/**
 * Node's arguments to run a program of ours in a process of its own: `name` without its ending, relative to the module at `from`, its
 * `import.meta.url`. In the sources tsx loads it, in a build (infra/build) it is JavaScript. It uses URLs, so that the working directory
 * does not matter.
 */
export function childProgram(name: string, from: string): string[] {
  if (!from.endsWith(".ts")) return [fileURLToPath(new URL(`${name}.js`, from))];
  return ["--import", import.meta.resolve("tsx"), fileURLToPath(new URL(`${name}.ts`, from))];
}

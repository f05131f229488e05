import { cp, mkdir, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { cacheFolder } from "../../infra/local/cache-folder.ts";
import type { Installed } from "../../infra/local/debian-package.ts";
import { madeFolder } from "../../infra/local/made-folder.ts";
import { hasProgram, runCommand } from "../../infra/local/run-command.ts";
import { ROOT } from "../root.ts";

/** Registries may be slow, and Maven fetches a few hundred files the first time. */
const INSTALL_MS = 900_000;

const HERE = join(ROOT, "bench/peers");

/** `server.mjs` with its packages, as `package-lock.json` has them; answers with the folder. */
export function installFastify(): Promise<Installed<string>> {
  const files = ["package.json", "package-lock.json", "server.mjs"];
  return made("fastify", files, { program: "npm", args: ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"] });
}

/** The program built from `pom.xml` and `src`; answers with its jar. */
export async function installSpring(): Promise<Installed<string>> {
  for (const program of ["java", "mvn"]) {
    if (!(await hasProgram(program, ["-version"])))
      return { type: "missing", reason: `${program} is not installed: install a JDK from 17 on, and Maven` };
  }
  const sources = await readdir(join(HERE, "spring/src"), { recursive: true, withFileTypes: true });
  const files = sources
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(HERE, "spring"), join(entry.parentPath, entry.name)));
  const installed = await made("spring", ["pom.xml", ...files.sort()], { program: "mvn", args: ["-q", "-B", "package"] });
  return installed.type === "missing" ? installed : { ...installed, program: join(installed.program, "target/peer-spring-1.jar") };
}

/** Copies the files of a peer to a folder of the cache, and runs a command there that makes it ready. */
async function made(
  name: string,
  files: readonly string[],
  { program, args }: { program: string; args: readonly string[] },
): Promise<Installed<string>> {
  try {
    const folder = await madeFolder({
      cache: join(await cacheFolder(), "peers"),
      name,
      files: files.map((file) => join(HERE, name, file)),
      make: async (target) => {
        await mkdir(target, { recursive: true });
        for (const file of files) await cp(join(HERE, name, file), join(target, file));
        const { exitCode, output } = await runCommand(program, args, INSTALL_MS, process.env, target);
        if (exitCode !== 0) throw new Error(output.trim().split("\n").slice(-3).join(" "));
      },
    });
    return { type: "installed", program: folder };
  } catch (error) {
    return { type: "missing", reason: `${program} could not make it: ${error instanceof Error ? error.message : String(error)}` };
  }
}

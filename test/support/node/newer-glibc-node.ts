import { copyFile, mkdir, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { cacheFolder } from "../../../infra/local/cache-folder.ts";
import { type Installed, installDebianPackage } from "../../../infra/local/debian-package.ts";
import { runCommand } from "../../../infra/local/run-command.ts";
import { outputOf, unpackFromDebian } from "./other-debian.ts";

const PATCH_TIMEOUT_MS = 60_000;

/** The minor version of glibc 2 that the newer packaging needs. */
const GLIBC_MINOR_MIN = 38;

/**
 * Returns a copy of this Node that runs on an older Debian with the C library of Debian 13, as the
 * newer packaging of uWebSockets.js requires (glibc 2.38). It starts its threads and child
 * processes from its own path, so that they use that library too.
 */
export async function nodeWithNewerGlibc(): Promise<Installed<string>> {
  if (process.platform !== "linux") return { type: "missing", reason: "glibc is Linux's" };
  const patchelf = await installDebianPackage("patchelf");
  if (patchelf.type === "missing") return patchelf;
  const interpreter = await outputOf("patchelf", ["--print-interpreter", process.execPath]);
  if (interpreter === null) return { type: "missing", reason: `patchelf cannot read ${process.execPath}` };
  const file = join("usr/lib", process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu", basename(interpreter));
  const loader = await unpackFromDebian("trixie-libc", { suite: "trixie", packages: ["libc6"], file });
  if (loader.type === "missing") return loader;
  const folder = join(await cacheFolder(), "newer-glibc-node", process.version);
  await mkdir(folder, { recursive: true });
  const program = join(folder, "node");
  const made = `${program}.${process.pid}`;
  await copyFile(process.execPath, made);
  const args = ["--set-interpreter", loader.program, "--set-rpath", dirname(loader.program), made];
  const { exitCode, output } = await runCommand("patchelf", args, PATCH_TIMEOUT_MS);
  await rename(made, program);
  const version = await outputOf(program, ["-p", "process.report.getReport().header.glibcVersionRuntime"]);
  if (exitCode === 0 && Number(version?.split(".")[1]) >= GLIBC_MINOR_MIN) return { type: "installed", program };
  return { type: "missing", reason: `Node does not run with Debian 13's C library: ${output.trim()} (glibc ${version})` };
}

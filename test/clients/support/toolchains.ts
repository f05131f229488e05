import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Program } from "./program.ts";

/** A program that can be started, or why it cannot. */
export type Installed<T> = { type: "installed"; value: T } | { type: "missing"; reason: string };

const run = promisify(execFile);
const HERE = resolve(import.meta.dirname, "..");

/** Outside of the repository; each release has a folder of its own, so that another one is installed beside it. */
const CACHE = process.env["CLIENTS_CACHE"] ?? join(homedir(), ".cache/terminal-relay-clients");

/** A cold build of the Go library takes a minute on two cores; this is for a busy machine. */
const INSTALL_MS = 300_000;
const OUTPUT_BYTES_MAX = 16 * 1_048_576;

const STRIPE_MOCK = "github.com/stripe/stripe-mock@v0.203.0";
const GO_MINOR_MIN = 22;
/** Go as a module, for machines whose own is older than the libraries want. */
const GO_TOOLCHAIN = `golang.org/toolchain@v0.0.1-go1.24.6.${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
/** Given out by the Maven command, which checks what the registry says of them; these are what was reviewed. */
const JARS = [
  {
    artifact: "com.stripe:stripe-java:33.3.0",
    file: "stripe-java-33.3.0.jar",
    sha256: "5f9197882b2928e9a6e840f790de585849e5e8623bea1c6a95da3effd96a8295",
  },
  {
    artifact: "com.google.code.gson:gson:2.11.0",
    file: "gson-2.11.0.jar",
    sha256: "57928d6e5a6edeb2abd3770a8f95ba44dce45f3b23b7a9dc2b309c581552a78b",
  },
];
const MAVEN_COPY = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy";

export function nodeProgram(packageName: "stripe" | "stripe-15"): Program {
  return { name: `node-${packageName}`, command: process.execPath, args: [join(HERE, "node/client.mjs"), packageName] };
}

/** A virtual environment with the library for Python. */
export function pythonProgram(): Promise<Installed<Program>> {
  return installed("the library for Python", async () => {
    const requirements = join(HERE, "python/requirements.txt");
    const folder = await once("python", [requirements], async (target) => {
      await command("python3", ["-m", "venv", target]);
      await command(join(target, "bin/python"), ["-m", "pip", "install", "--quiet", "--no-deps", "--requirement", requirements]);
    });
    return { name: "python", command: join(folder, "bin/python"), args: [join(HERE, "python/client.py")] };
  });
}

/** The program for Go, built. */
export function goProgram(): Promise<Installed<Program>> {
  return installed("the library for Go", async () => {
    const sources = ["client.go", "go.mod", "go.sum"].map((file) => join(HERE, "go", file));
    const folder = await once("go", sources, async (target) => {
      await mkdir(target, { recursive: true });
      await go(["build", "-o", join(target, "client"), "."], { cwd: join(HERE, "go") });
    });
    return { name: "go", command: join(folder, "client"), args: [] };
  });
}

/** The program for Java, compiled. */
export function javaProgram(): Promise<Installed<Program>> {
  return installed("the library for Java", async () => {
    const source = join(HERE, "java/Client.java");
    const folder = await once("java", [source], async (target) => {
      const jars = join(target, "jars");
      await mkdir(jars, { recursive: true });
      for (const { artifact, file, sha256 } of JARS) {
        await command("mvn", ["-q", "-B", "-C", MAVEN_COPY, `-Dartifact=${artifact}`, `-DoutputDirectory=${jars}`]);
        const digest = createHash("sha256")
          .update(readFileSync(join(jars, file)))
          .digest("hex");
        if (digest !== sha256) throw new Error(`${file} is not what it was: ${digest}`);
      }
      await command("javac", ["-encoding", "UTF-8", "-cp", `${jars}/*`, "-d", join(target, "classes"), source]);
    });
    return {
      name: "java",
      command: "java",
      args: ["-XX:TieredStopAtLevel=1", "-cp", [`${folder}/jars/*`, `${folder}/classes`].join(delimiter), "Client"],
    };
  });
}

/** The platform's own mock server, built, and the description of its interface that comes with it. */
export function platformMock(): Promise<Installed<{ command: string; openApiFile: string }>> {
  return installed("the platform's mock", async () => {
    const folder = await once("stripe-mock-v0.203.0", [], async (target) => {
      await mkdir(target, { recursive: true });
      await go(["install", STRIPE_MOCK], { env: { GOBIN: target } });
      const module: { Dir: string } = JSON.parse(await go(["mod", "download", "-json", STRIPE_MOCK], { cwd: target }));
      await cp(join(module.Dir, "embedded/openapi/spec3.json"), join(target, "spec3.json"));
    });
    return { command: join(folder, "stripe-mock"), openApiFile: join(folder, "spec3.json") };
  });
}

async function installed<T>(what: string, install: () => Promise<T>): Promise<Installed<T>> {
  try {
    return { type: "installed", value: await install() };
  } catch (error) {
    return { type: "missing", reason: `${what} cannot be installed here: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** The folder that `make` fills; made again where one of the files has changed since, or where it was left half made. */
async function once(name: string, files: readonly string[], make: (target: string) => Promise<void>): Promise<string> {
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(file));
  const folder = join(CACHE, `${name}-${hash.digest("hex").slice(0, 16)}`);
  const mark = join(folder, "complete");
  if (existsSync(mark)) return folder;
  await rm(folder, { recursive: true, force: true });
  await mkdir(CACHE, { recursive: true });
  await make(folder);
  await writeFile(mark, "");
  return folder;
}

interface CommandOptions {
  cwd?: string;
  env?: { [name: string]: string };
}

async function command(program: string, args: readonly string[], { cwd, env = {} }: CommandOptions = {}): Promise<string> {
  const { stdout } = await run(program, [...args], {
    timeout: INSTALL_MS,
    maxBuffer: OUTPUT_BYTES_MAX,
    env: { ...process.env, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  return stdout;
}

let goFound: Promise<string> | null = null;

async function go(args: readonly string[], { cwd, env = {} }: CommandOptions = {}): Promise<string> {
  goFound ??= recentGo();
  // What the machine says of toolchains is left aside: this one is recent enough, and no other is to be fetched.
  return command(await goFound, args, {
    env: { GOTOOLCHAIN: "local", GOFLAGS: "-buildvcs=false", ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** The machine's Go, or, where that is too old for the libraries, a newer one that it fetches as a module. */
async function recentGo(): Promise<string> {
  const minor = Number(/go1\.(\d+)/.exec(await command("go", ["version"]))?.[1] ?? "0");
  if (minor >= GO_MINOR_MIN) return "go";
  const module: { Dir: string } = JSON.parse(await command("go", ["mod", "download", "-json", GO_TOOLCHAIN], { cwd: homedir() }));
  // An old Go unpacks a module without the right to run what is in it, and without the right to change that of a folder.
  for (const folder of ["bin", ...readdirSync(join(module.Dir, "pkg/tool")).map((name) => join("pkg/tool", name))]) {
    for (const file of readdirSync(join(module.Dir, folder))) chmodSync(join(module.Dir, folder, file), 0o755);
  }
  return join(module.Dir, "bin/go");
}

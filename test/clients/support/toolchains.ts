import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import { madeFolder } from "../../../infra/local/made-folder.ts";
import type { Program } from "./program.ts";

/** A program that can be started, or why it cannot. */
export type Installed<T> = { type: "installed"; value: T } | { type: "missing"; reason: string };

const run = promisify(execFile);
const HERE = resolve(import.meta.dirname, "..");

/** Outside of the repository; each release has a folder of its own, so that another one is installed beside it. */
const CACHE = process.env["CLIENTS_CACHE"] ?? join(homedir(), ".cache/terminal-relay-clients");

/** A cold build of the Go library takes a minute on two cores; this is for a busy machine. */
const INSTALL_MS = 600_000;
/** Each waits for registries half of its time. With more of them the slowest, which compiles for a minute by itself, would come to its limit. */
const INSTALLATIONS_AT_ONCE = 4;
/** Programs that run for seconds: what the second compiler of Java makes faster comes too late for them. */
const SHORT_LIVED_JAVA = "-XX:TieredStopAtLevel=1";
const OUTPUT_BYTES_MAX = 16 * 1_048_576;

const STRIPE_MOCK = "github.com/stripe/stripe-mock@v0.203.0";
/** What the libraries ask for. */
const GO_MINOR_MIN = 26;
/** Go as a module, for machines whose own is older than the libraries want. */
const GO_TOOLCHAIN = `golang.org/toolchain@v0.0.1-go1.26.0.${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
/** Old enough to be among what registries keep of Maven's plugins. */
const MAVEN_COPY = "org.apache.maven.plugins:maven-dependency-plugin:2.8:copy-dependencies";

export function nodeProgram(packageName: "stripe" | "stripe-15"): Program {
  return { name: `node-${packageName}`, command: process.execPath, args: [join(HERE, "node/client.mjs"), packageName] };
}

/** Where a program of this suite lies: `folder` relative to test/clients. */
interface Place {
  name: string;
  folder: string;
}

/** `client.py` of the folder, in a virtual environment with its `requirements.txt`: every package that it needs, with its version. */
export function pythonProgram({ name, folder }: Place): Promise<Installed<Program>> {
  return installed(`${name}, for Python`, async () => {
    const python = await pythonEnvironment({ name, folder });
    return { name, command: python, args: [join(HERE, folder, "client.py")] };
  });
}

/** The same without a program. */
export function pythonInterpreter(place: Place): Promise<Installed<string>> {
  return installed(`${place.name}, for Python`, () => pythonEnvironment(place));
}

/** The interpreter of a virtual environment with the folder's `requirements.txt`. Rejects where it cannot be made. */
export async function pythonEnvironment({ name, folder }: Place): Promise<string> {
  const requirements = join(HERE, folder, "requirements.txt");
  const target = await once(name, [requirements], async (made) => {
    await command("python3", ["-m", "venv", made]);
    await command(join(made, "bin/python"), [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--no-deps",
      "--no-compile",
      "--requirement",
      requirements,
    ]);
  });
  return join(target, "bin/python");
}

/** A folder whose `node_modules` are what the folder's `package-lock.json` says, which npm holds to its checksums. Rejects where it cannot be made. */
export async function nodeEnvironment({ name, folder }: Place): Promise<string> {
  const files = ["package.json", "package-lock.json"];
  const sources = files.map((file) => join(HERE, folder, file));
  return once(name, sources, async (made) => {
    await mkdir(made, { recursive: true });
    for (const file of files) await cp(join(HERE, folder, file), join(made, file));
    await command("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: made });
  });
}

/** The folder's `client.go`, `go.mod` and `go.sum`, built. */
export function goProgram({ name, folder }: Place): Promise<Installed<Program>> {
  return installed(`${name}, for Go`, async () => {
    const sources = ["client.go", "go.mod", "go.sum"].map((file) => join(HERE, folder, file));
    const target = await once(name, sources, async (made) => {
      await mkdir(made, { recursive: true });
      await go(["build", "-o", join(made, "client"), "."], { cwd: join(HERE, folder) });
    });
    return { name, command: join(target, "client"), args: [] };
  });
}

/**
 * The class `main` of the folder's Java sources, compiled with what the `pom.xml` of `libraries` (default: the folder) asks for. Beside it `jars.sha256` lists every
 * library with its digest, as sha256sum writes it: what was reviewed. One that is missing there, or differs, is refused.
 */
export function javaProgram(options: Place & { main?: string; libraries?: string }): Promise<Installed<Program>> {
  const { name, folder, main = "Client", libraries = folder } = options;
  return installed(`${name}, for Java`, async () => {
    const pom = join(HERE, libraries, "pom.xml");
    const reviewed = join(HERE, libraries, "jars.sha256");
    const source = join(HERE, folder, `${main}.java`);
    const target = await once(name, [source, pom, reviewed], async (made) => {
      const jars = join(made, "jars");
      await mkdir(jars, { recursive: true });
      await command("mvn", ["-q", "-B", "-C", "-f", pom, MAVEN_COPY, "-DincludeScope=runtime", `-DoutputDirectory=${jars}`], {
        env: { MAVEN_OPTS: `${SHORT_LIVED_JAVA} ${process.env["MAVEN_OPTS"] ?? ""}` },
      });
      requireReviewed(jars, readFileSync(reviewed, "utf8"));
      await command("javac", [`-J${SHORT_LIVED_JAVA}`, "-encoding", "UTF-8", "-cp", `${jars}/*`, "-d", join(made, "classes"), source]);
    });
    return {
      name,
      command: "java",
      args: [SHORT_LIVED_JAVA, "-cp", [`${target}/jars/*`, `${target}/classes`].join(delimiter), main],
    };
  });
}

function requireReviewed(folder: string, reviewed: string): void {
  const lines = readdirSync(folder)
    .sort()
    .map(
      (file) =>
        `${createHash("sha256")
          .update(readFileSync(join(folder, file)))
          .digest("hex")}  ${file}`,
    );
  const known = new Set(reviewed.split("\n").filter((line) => line !== ""));
  const unknown = lines.filter((line) => !known.has(line));
  if (unknown.length > 0) throw new Error(`libraries that nobody has reviewed:\n${unknown.join("\n")}`);
}

/** Of languages whose library no registry that is used here has: `client.<extension>` of the folder, with the library in the folder that the variable names. */
export function scriptProgram(name: "php" | "ruby", { extension, folderVariable }: { extension: string; folderVariable: string }) {
  return installed(`${name}`, async () => {
    if (process.env[folderVariable] === undefined) throw new Error(`${folderVariable} names no folder with the library`);
    await command(name, ["--version"]);
    return { name, command: name, args: [join(HERE, name, `client.${extension}`)] };
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

const folders = new Map<string, Promise<string>>();

/** The folder that `make` fills; made again where one of the files has changed since, or where it was left half made. */
function once(name: string, files: readonly string[], make: (target: string) => Promise<void>): Promise<string> {
  // Several clients may use one folder, and are prepared at the same time.
  const making = folders.get(name) ?? madeFolder({ cache: CACHE, name, files, make: (target) => oneOfFew(() => make(target)) });
  folders.set(name, making);
  return making;
}

let installing = 0;
const queue: (() => void)[] = [];

async function oneOfFew(install: () => Promise<void>): Promise<void> {
  if (installing < INSTALLATIONS_AT_ONCE) installing += 1;
  // Whoever ends hands on its place.
  else await new Promise<void>((resolve) => queue.push(resolve));
  try {
    await install();
  } finally {
    const next = queue.shift();
    if (next === undefined) installing -= 1;
    else next();
  }
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

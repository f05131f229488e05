/**
 * `npm start`: the relay from its sources. They are bundled once and again when one of them has changed, so that the next start reads a few files instead of
 * two thousand. It is JavaScript, because loading what reads TypeScript takes longer than the rest of this.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = join(ROOT, "node_modules");
const PROGRAM = "infra/node/main";

/** Where bundles are kept: beside the packages, or where those may not be changed, in the user's own cache. */
const PLACES = [
  join(PACKAGES, ".cache/terminal-relay"),
  join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "terminal-relay/start"),
];

/** Of each place; the least recently started go first. Several checkouts may share their packages, and each version of the sources has a bundle of its own. */
const KEPT_MAX = 6;

/** The processes that run a bundle, which loads parts of itself late and starts programs of its own. */
const RUNNING = ".running";

/** Names the sources and the packages of this checkout. */
function nameOfSources() {
  const hash = createHash("sha256").update(ROOT);
  const sources = ["engine", "http", "storage", "infra"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".md"))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
  );
  const installed = [join(PACKAGES, ".package-lock.json"), join(ROOT, "package.json")].filter((file) => existsSync(file));
  for (const file of [...sources.sort(), ...installed]) {
    const contents = readFileSync(file);
    hash.update(`\n${file} ${contents.byteLength}\n`).update(contents);
  }
  return hash.digest("hex").slice(0, 24);
}

/** The folder of the bundle, made where there is none; null where it cannot be made. */
function bundleOf(name) {
  const kept = PLACES.map((place) => join(place, name)).find((folder) => existsSync(join(folder, `${PROGRAM}.js`)));
  if (kept !== undefined) return kept;
  let reason = "";
  for (const place of PLACES) {
    try {
      return make(place, name);
    } catch (error) {
      reason ||= error.stderr?.trim() || error.message;
    }
  }
  console.error(`The sources could not be bundled, so this start takes longer: ${reason}`);
  return null;
}

/** The folder has its name when it is complete. */
function make(place, name) {
  const [folder, unfinished] = [join(place, name), join(place, `${name}.${process.pid}`)];
  mkdirSync(unfinished, { recursive: true });
  try {
    const build = ["--import", "tsx", join(ROOT, "infra/build/main.ts"), "--for-start", "--out", unfinished];
    // The compiler spends a third of its time on collecting garbage, of less than 400 MB.
    const env = { ...process.env, GOGC: "400" };
    execFileSync(process.execPath, build, { cwd: ROOT, env, encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
    if (nameOfSources() !== name) throw new Error("a source has changed meanwhile");
    // Outside of the folder of the packages nothing leads there.
    if (!place.startsWith(PACKAGES)) symlinkSync(PACKAGES, join(unfinished, "node_modules"), "junction");
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another start was faster.
    if (!existsSync(join(folder, `${PROGRAM}.js`))) throw error;
  }
  return folder;
}

/** Says that this process runs the bundle, and removes old ones beside it; in a folder that may not be changed it does neither. */
function noteRunning(folder) {
  try {
    mkdirSync(join(folder, RUNNING), { recursive: true });
    for (const pid of readdirSync(join(folder, RUNNING))) if (!isAlive(pid)) rmSync(join(folder, RUNNING, pid));
    writeFileSync(join(folder, RUNNING, String(process.pid)), "");
    const now = new Date();
    utimesSync(folder, now, now);
    removeOld(dirname(folder));
  } catch {}
}

function removeOld(place) {
  const folders = readdirSync(place).map((name) => ({ name, folder: join(place, name) }));
  const byAge = folders.map((one) => ({ ...one, startedMs: statSync(one.folder).mtimeMs })).sort((a, b) => b.startedMs - a.startedMs);
  for (const { name, folder } of byAge.slice(KEPT_MAX)) {
    const running = existsSync(join(folder, RUNNING)) ? readdirSync(join(folder, RUNNING)) : [];
    const [, maker] = name.split(".");
    if (![...running, maker].some(isAlive)) rmSync(folder, { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    return pid !== undefined && process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === "EPERM";
  }
}

const folder = bundleOf(nameOfSources());
if (folder === null) {
  const { register } = await import("tsx/esm/api");
  register();
  await import(`../../${PROGRAM}.ts`);
} else {
  noteRunning(folder);
  await import(pathToFileURL(join(folder, `${PROGRAM}.js`)).href);
}

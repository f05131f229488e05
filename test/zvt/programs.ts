import { execFile } from "node:child_process";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Installed } from "../clients/support/toolchains.ts";

const run = promisify(execFile);
const RUST = join(import.meta.dirname, "rust");

/** Outside of the repository. Cargo knows itself what has changed since. */
const CACHE = process.env["ZVT_CACHE"] ?? join(homedir(), ".cache/terminal-relay-zvt");

/** What Cargo.toml asks of the compiler, which is also the first Cargo that reads this form of Cargo.lock. */
const RUST_MINOR_MIN = 78;
/** A cold build takes 40 seconds of one core; this is for a busy machine. */
const BUILD_MS = 600_000;
const COMMAND_MS = 60_000;
const OUTPUT_BYTES_MAX = 16 * 1_048_576;

export interface RustPrograms {
  /** Our register (rust/src/bin/register.rs). */
  register: string;
  /** The example that the library ships. */
  status: string;
}

/** The registers written with the public Rust library, built. */
export async function rustPrograms(): Promise<Installed<RustPrograms>> {
  try {
    const version = (await run("cargo", ["--version"], { timeout: COMMAND_MS })).stdout;
    const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(version) ?? [];
    if (Number(major) < 1 || (major === "1" && Number(minor) < RUST_MINOR_MIN)) {
      return { type: "missing", reason: `cargo is too old for the ZVT library: ${version.trim()}, and 1.${RUST_MINOR_MIN} is needed` };
    }
    const options = { cwd: RUST, timeout: BUILD_MS, maxBuffer: OUTPUT_BYTES_MAX };
    // Fetches the library where it is not there yet, and says where it lies.
    const metadata = await run("cargo", ["metadata", "--locked", "--format-version", "1"], options);
    const { packages }: { packages: { name: string; manifest_path: string }[] } = JSON.parse(metadata.stdout);
    const library = packages.find(({ name }) => name === "zvt");
    if (library === undefined) return { type: "missing", reason: "Cargo.lock does not name the ZVT library" };
    const env = { ...process.env, CARGO_TARGET_DIR: CACHE, ZVT_LIBRARY: dirname(library.manifest_path) };
    await run("cargo", ["build", "--locked", "--quiet"], { ...options, env });
    return { type: "installed", value: { register: join(CACHE, "debug/register"), status: join(CACHE, "debug/status") } };
  } catch (error) {
    return { type: "missing", reason: `the ZVT library for Rust cannot be built here: ${messageOf(error)}` };
  }
}

/** Whether tshark is here, knows the protocol, and may capture on loopback. */
export async function tshark(): Promise<Installed<string>> {
  try {
    const decoders = await run("tshark", ["-G", "protocols"], { timeout: COMMAND_MS, maxBuffer: OUTPUT_BYTES_MAX });
    if (!/\tzvt$/m.test(decoders.stdout)) return { type: "missing", reason: "this tshark does not know ZVT" };
    const { stdout } = await run("tshark", ["-D"], { timeout: COMMAND_MS });
    if (!/\blo\b/.test(stdout)) return { type: "missing", reason: "tshark may not capture on loopback here" };
    return { type: "installed", value: "tshark" };
  } catch (error) {
    return { type: "missing", reason: `tshark does not run here: ${messageOf(error)}` };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { ConfigRefused, type Environment } from "./config-reader.ts";

/** The variable that names the file. */
export const ENVIRONMENT_FILE = "RELAY_ENV_FILE";

/** A hundred variables, some with keys and addresses, take a few KB. */
const BYTES_MAX = 65_536;

const LINE = /^(RELAY_[A-Z_]+)\s*=\s*(.*)$/;

/**
 * The environment, with the variables of the file that `RELAY_ENV_FILE` names, if it names one. A process keeps the environment with which it was started, so a
 * running node can take over only what is in a file. Throws ConfigRefused with every line that is wrong; values are not quoted, since they may be secrets.
 */
export function withEnvironmentFile(environment: Environment): Environment {
  const path = environment[ENVIRONMENT_FILE]?.trim() ?? "";
  if (path === "") return environment;
  const given = parseEnvironmentFile(readText(path), path);
  const problems = [...given.keys()].filter((name) => (environment[name]?.trim() ?? "") !== "");
  if (problems.length > 0) {
    throw new ConfigRefused(problems.map((name) => `${name} is set in the environment and in ${path}: set it in one of them`));
  }
  return { ...environment, ...Object.fromEntries(given) };
}

/** Lines `RELAY_NAME=value`, of which the value may be in quotes; empty lines, and comments that begin with # or ;. As systemd and shells read them. */
export function parseEnvironmentFile(text: string, path: string): Map<string, string> {
  const variables = new Map<string, string>();
  const problems: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#") || trimmed.startsWith(";")) continue;
    const [, name = "", raw = ""] = LINE.exec(trimmed) ?? [];
    const value = unquoted(raw);
    const problem =
      name === ""
        ? "is not RELAY_NAME=value, an empty line, or a comment that begins with #"
        : name === ENVIRONMENT_FILE
          ? `sets ${ENVIRONMENT_FILE}, which can be set only in the environment`
          : variables.has(name)
            ? `sets ${name}, which an earlier line already sets`
            : value === null
              ? `has a value of ${name} with an unterminated quote or an escape sequence, which is not supported`
              : null;
    if (problem === null && value !== null) variables.set(name, value);
    else problems.push(`${path}, line ${index + 1} ${problem}`);
  }
  if (problems.length > 0) throw new ConfigRefused(problems);
  return variables;
}

/** Null for quotes that do not end, and for what shells and systemd would read otherwise than it stands. */
function unquoted(text: string): string | null {
  const [, quote, inner] = /^(["'])(.*)\1$/.exec(text) ?? [];
  if (quote === undefined || inner === undefined) return /["'\\]/.test(text) ? null : text;
  return inner.includes(quote) || inner.includes("\\") ? null : inner;
}

/** A running node reads it between requests: a pipe would keep it waiting, and a device has no end. */
function readText(path: string): string {
  const refused = (why: string) => new ConfigRefused([`${ENVIRONMENT_FILE} (${path}) ${why}`]);
  let file: number | null = null;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile()) throw refused("is not a file");
    if (stat.size > BYTES_MAX) throw refused(`has more than ${BYTES_MAX} bytes`);
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof ConfigRefused) throw error;
    throw refused(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    if (file !== null) closeSync(file);
  }
}

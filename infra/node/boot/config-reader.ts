export type Environment = { readonly [name: string]: string | undefined };

/** One or more variables are wrong; the message names each with its value (except secrets) and the allowed values. */
export class ConfigRefused extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.name = "ConfigRefused";
  }
}

/** Secrets: an error names them but never quotes the value. The value of a misspelt name is not quoted either, since it may be a secret. */
const SECRET = /PASSWORD|SECRET|KEY|URL|TOKEN/;
const SECRET_LENGTH_MIN = 16;

export type Reader = ReturnType<typeof createReader>;

/**
 * Reads variables of the environment one by one, and collects what is wrong with them: reading goes on with a value in its place, and `finish` throws ConfigRefused
 * with everything. `known`: the names whose values an error may quote, unless they are secrets.
 */
export function createReader(environment: Environment, known: ReadonlySet<string>) {
  const problems: string[] = [];
  const mayBeQuoted = (name: string) => known.has(name) && !SECRET.test(name);
  const text = (name: string): string | null => {
    const value = environment[name]?.trim();
    return value === undefined || value === "" ? null : value;
  };
  const refuse = (name: string, allowed: string): void => {
    const value = text(name);
    if (value === null) problems.push(`${name} is not set: ${allowed}`);
    else
      problems.push(
        `${name} ${mayBeQuoted(name) ? `is ${JSON.stringify(value.slice(0, 200))}` : "has a value that is not allowed"}; allowed: ${allowed}`,
      );
  };
  const matching = (name: string, shape: RegExp | ((value: string) => boolean), allowed: string): string | null => {
    const value = text(name);
    if (value === null) return null;
    if (shape instanceof RegExp ? shape.test(value) : shape(value)) return value;
    refuse(name, allowed);
    return null;
  };
  return {
    text,
    refuse,
    matching,
    /** The parsed value; if `parse` returns null, the value is refused. */
    read: <T>(name: string, parse: (value: string) => T | null, allowed: string): T | null => {
      const value = text(name);
      const parsed = value === null ? null : parse(value);
      if (value !== null && parsed === null) refuse(name, allowed);
      return parsed;
    },
    word: <W extends string>(name: string, words: readonly W[], otherwise: W): W => {
      const value = text(name);
      if (value === null) return otherwise;
      const word = words.find((candidate) => candidate === value);
      if (word === undefined) refuse(name, words.join(", "));
      return word ?? otherwise;
    },
    integer: (name: string, otherwise: number, least: number, most: number): number => {
      const value = text(name);
      if (value === null) return otherwise;
      const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      if (number >= least && number <= most) return number;
      refuse(name, `an integer from ${least} to ${most}`);
      return otherwise;
    },
    /** Outside the sandbox a secret has to be too long to be guessed. */
    secret: (name: string, short: boolean): string | null => {
      const value = text(name);
      if (value !== null && !short && value.length < SECRET_LENGTH_MIN) refuse(name, `at least ${SECRET_LENGTH_MIN} characters`);
      return value;
    },
    url: (name: string): string | null =>
      matching(name, (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), "an http or https URL"),
    missing: (name: string): string => {
      refuse(name, "required in production");
      return "";
    },
    finish: (): void => {
      if (problems.length > 0) throw new ConfigRefused(problems);
    },
  };
}

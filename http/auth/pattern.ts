import { RE2JS, RE2JSException } from "re2js";
import { type PatternCompiler, RULE_VALUE_LENGTH_MAX } from "../../engine/access/terminal-rule.ts";
import { RelayError } from "../../engine/kernel/errors.ts";

/**
 * Largest program that a pattern may compile to. RE2 takes time linear in the text, times the size of the program; with this bound the worst
 * pattern takes tens of milliseconds for its first 64 characters, and a plain pattern of the longest permitted length still fits.
 */
export const PATTERN_INSTRUCTIONS_MAX = 2_560;

/**
 * Patterns in RE2 syntax: without look-around and back-references, and so without backtracking. The compiler expands counted repetitions,
 * so the size is estimated first and a pattern that would be too large is refused before it is compiled.
 */
export function createPatternCompiler(): PatternCompiler {
  return {
    compile(pattern) {
      if (pattern.length > RULE_VALUE_LENGTH_MAX) throw refused(`it is longer than ${RULE_VALUE_LENGTH_MAX} characters`);
      if (pattern.includes("\\Q")) throw refused("\\Q is not supported; write a backslash before each special character");
      if (expandedSize(pattern) > 2 * PATTERN_INSTRUCTIONS_MAX) throw refused("its repetition counts are too large");
      const compiled = compile(pattern);
      if (compiled.programSize() > PATTERN_INSTRUCTIONS_MAX) throw refused("its repetition counts are too large");
      return (text) => compiled.matches(text);
    },
  };
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) throw refused(error.message.replace(/^error parsing regexp: /, ""));
    throw error;
  }
}

function refused(reason: string): RelayError {
  return new RelayError("invalid_request", `The pattern is not accepted: ${reason}`);
}

const REPETITION = /\{(\d+)(?:(,)(\d*))?\}/y;

/**
 * Approximate number of instructions that a pattern compiles to; never much too low for a pattern that RE2 accepts. Groups, classes and
 * escapes are parsed only as far as necessary.
 */
function expandedSize(pattern: string): number {
  const outer: number[] = [];
  let size = 0;
  let last = 0;
  let index = 0;
  while (index < pattern.length) {
    const char = pattern[index];
    if (char === "(") {
      outer.push(size);
      size = 0;
      last = 0;
    } else if (char === ")") {
      last = size + 2;
      size = (outer.pop() ?? 0) + last;
    } else if (char === "{") {
      REPETITION.lastIndex = index;
      const repetition = REPETITION.exec(pattern);
      if (repetition !== null) {
        const least = Number(repetition[1]);
        const most =
          repetition[3] === undefined || repetition[3] === "" ? least + (repetition[2] === undefined ? 0 : 1) : Number(repetition[3]);
        const grown = last * Math.max(1, least, most);
        size += grown - last;
        last = grown;
        index += repetition[0].length - 1;
      }
    } else if (char !== "*" && char !== "+" && char !== "?") {
      if (char === "\\") index += 1;
      if (char === "[") index = classEnd(pattern, index);
      last = 2;
      size += last;
    }
    index += 1;
  }
  return size + outer.reduce((sum, part) => sum + part, 0);
}

/** Where the character class that starts at `start` ends. */
function classEnd(pattern: string, start: number): number {
  let index = start + 1;
  if (pattern[index] === "^") index += 1;
  if (pattern[index] === "]") index += 1;
  while (index < pattern.length && pattern[index] !== "]") {
    const named = pattern.startsWith("[:", index) ? pattern.indexOf(":]", index) : -1;
    if (named !== -1) index = named + 2;
    else index += pattern[index] === "\\" ? 2 : 1;
  }
  return index;
}

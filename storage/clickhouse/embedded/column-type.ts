/** A type of a column, taken apart: `Map(String, UInt8)` has a name and two arguments. */
export interface ColumnType {
  name: string;
  arguments: string[];
}

/** Takes the engine's own text of a type apart. */
export function columnType(text: string): ColumnType {
  const open = text.indexOf("(");
  if (open < 0) return { name: text, arguments: [] };
  return { name: text.slice(0, open), arguments: split(text.slice(open + 1, -1), ",").map((part) => part.trim()) };
}

/** The types of a Tuple's, a Map's or a Nested's members, of which each may have a name before it. */
export function membersOf(type: ColumnType): string[] {
  return type.arguments.map((text) => split(text, " ").at(-1) ?? text);
}

/** Cuts at a separator that is neither inside of parentheses nor of quotes. */
function split(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (quote !== "") {
      if (character === "\\") at += 1;
      else if (character === quote) quote = "";
    } else if (character === "'" || character === "`") quote = character;
    else if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    else if (character === separator && depth === 0) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

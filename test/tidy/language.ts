/** A comment, a text literal, or the code between two of these. */
export interface Piece {
  readonly kind: "comment" | "text" | "code";
  readonly text: string;
  readonly from: number;
}

/**
 * Matches what ends a piece of code. A slash begins a regular expression where a value may stand:
 * at the start, after an operator or an opening bracket, and after `return` or `case`.
 */
const TOKEN =
  /\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<=(?:^|[=(,:;!&|?{}[>]|\breturn|\bcase)\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|[`{}]/g;
/** Matches the text of a template up to its end, or up to the code in it. */
const TEMPLATE = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;

/**
 * Divides TypeScript into pieces. Comments on lines that follow each other are one piece. An
 * apostrophe in the text of an element hides the rest of its line.
 */
export function piecesOf(source: string): Piece[] {
  const pieces: Piece[] = [];
  // True stands for an open brace of a template.
  const braces: boolean[] = [];
  let from = 0;

  const add = (kind: Piece["kind"], to: number) => {
    if (to > from) pieces.push({ kind, text: source.slice(from, to), from });
    from = to;
  };

  for (TOKEN.lastIndex = 0; ; ) {
    const found = TOKEN.exec(source);
    if (found === null) break;
    const [token] = found;
    if (token === "{") braces.push(false);
    const isTemplate = token === "`" || (token === "}" && braces.pop() === true);
    if (isTemplate) {
      add("code", found.index);
      TEMPLATE.lastIndex = TOKEN.lastIndex;
      const [rest = ""] = TEMPLATE.exec(source) ?? [];
      if (rest.endsWith("${")) braces.push(true);
      TOKEN.lastIndex += rest.length;
      add("text", TOKEN.lastIndex);
    } else if (/^(?:\/[/*]|["'])/.test(token)) {
      add("code", found.index);
      add(token.startsWith("/") ? "comment" : "text", TOKEN.lastIndex);
    }
  }
  add("code", source.length);
  return pieces;
}

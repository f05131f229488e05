import type { TerminalRecordJson } from "../../../../surfaces/admin/terminal-record.ts";
import { get } from "../../../portal/api/client.ts";

export const PAGE = 100;

/** An id that stands before every id that begins with `prefix`, and after all others that do: the relay lists by id, behind one that it is given. */
function before(prefix: string): string | undefined {
  if (prefix === "") return undefined;
  const last = prefix.charCodeAt(prefix.length - 1);
  return `${prefix.slice(0, -1)}${String.fromCharCode(last - 1)}~`;
}

/** A page of the terminals whose id begins with `prefix`; shorter than a page where that is all. */
export async function loadTerminals(
  prefix: string,
  last: TerminalRecordJson | null,
  signal: AbortSignal | undefined,
): Promise<TerminalRecordJson[]> {
  const found = await get<TerminalRecordJson[]>("/terminals", {
    ...(signal === undefined ? {} : { signal }),
    query: { limit: PAGE, after: last?.terminalId ?? before(prefix) },
  });
  return found.filter(({ terminalId }) => terminalId.startsWith(prefix));
}

import { cutText } from "../kernel/cut-text.ts";
import { hashOf } from "../kernel/hash.ts";
import type { Operation } from "../kernel/kv.ts";
import { recordText } from "../kernel/schemas.ts";
import type { AttentionKind } from "./attention-kinds.ts";

export interface AttentionItem {
  kind: AttentionKind;
  terminalId: string;
  /** Null where a posting had no uuid that could be read. */
  uuid: string | null;
  atMs: number;
  /** One sentence, without card data or personal data. */
  detail: string;
  /** What was posted, PANs masked, at most 8,192 characters; null where nothing was. */
  raw: string | null;
}

/** What operators have to look at: `a/<kind>/<terminalId>/<uuid>`. */
export const ATTENTION = "a/";

/** What operators have not looked at for this long is old news. */
const ATTENTION_LIFETIME_MS = 90 * 86_400_000;

const ATTENTION_RAW_CHARS_MAX = 8_192;

export function attentionKey(kind: AttentionKind, terminalId: string, place: string): string {
  return `${ATTENTION}${kind}/${terminalId}/${place}`;
}

export function attentionOperation(item: AttentionItem): Operation {
  const raw = item.raw === null ? null : cutText(item.raw, ATTENTION_RAW_CHARS_MAX);
  const place = item.kind === "unreadable" ? hashOf(raw ?? "").toString(16) : (item.uuid ?? "");
  return {
    type: "put",
    key: attentionKey(item.kind, item.terminalId, place),
    value: recordText("attention", { ...item, raw }),
    expiresAtMs: item.atMs + ATTENTION_LIFETIME_MS,
  };
}

import type { AttentionItem, AttentionKind } from "../../engine/domain/attention.ts";
import { cutText } from "../../engine/domain/cut-text.ts";
import { hashOf } from "../../engine/runtime/hash.ts";
import type { Operation } from "../kv/kv.ts";
import { recordText } from "../schemas/schemas.ts";

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

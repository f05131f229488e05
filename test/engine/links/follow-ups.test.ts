import type { LinkEffect, Of } from "../../../engine/links/events.ts";
import type { FollowUpType, LinkRecord } from "../../../engine/links/link.ts";
import { table } from "./machine-table.ts";
import { followUp, link, NOW_MS, successWith, unanswered } from "./machine-world.ts";

const wanted = (type: FollowUpType, amountMinor: number | null = null, id = "f9", atMs = NOW_MS): Of<"followUp.requested"> => ({
  type: "followUp.requested",
  atMs,
  id,
  followUp: type,
  amountMinor,
});
const refusal = (reason: Extract<LinkEffect, { type: "refuseFollowUp" }>["params"]["reason"]): LinkEffect[] => [
  { type: "refuseFollowUp", params: { reason } },
];
const entry = (type: FollowUpType, amountMinor: number, whole: boolean) =>
  unanswered({ id: "f9", type, amountMinor, whole, requestedAtMs: NOW_MS });
const begun = (type: FollowUpType, amountMinor: number, whole: boolean, before: LinkRecord["followUps"] = []) => ({
  to: { followUps: [...before, entry(type, amountMinor, whole)], nextAtMs: NOW_MS + 60_000 },
  effects: [{ type: "executeFollowUp" as const, params: { followUp: entry(type, amountMinor, whole) } }],
});
const done = followUp();
const half = followUp({ amountMinor: 600, whole: false });
const lost = unanswered({ requestedAtMs: NOW_MS - 30_000 });
const repeated = { ...lost, repeated: true as const };
const uncertain = { ...repeated, refusal: { atMs: NOW_MS, resultCode: "GW_30004", description: "no" } };
const unread = followUp({ state: "refused", finishedAtMs: NOW_MS - 1, tranId: null, resultCode: "GW_30401", description: "no" });
const anew = { ...unanswered({ requestedAtMs: NOW_MS }), begun: { times: 2, firstAtMs: unread.requestedAtMs } };
const captured = followUp({ id: "c1", type: "capture", amountMinor: 1_000, whole: false });
const later = { order: { capture: "later" as const } };

table("reversal", [
  { title: "of the whole", from: link("success"), event: wanted("reversal"), ...begun("reversal", 1234, true) },
  { title: "of a part", from: link("success"), event: wanted("reversal", 600), ...begun("reversal", 600, false) },
  {
    title: "of what was paid, where that is not what was ordered",
    from: link("success", { outcome: successWith(1_000, "USD") }),
    event: wanted("reversal"),
    ...begun("reversal", 1_000, true),
  },
  {
    title: "of more than was paid",
    from: link("success", { outcome: successWith(1_000, "EUR") }),
    event: wanted("reversal", 1_234),
    effects: refusal("too_much"),
  },
  {
    title: "of another part",
    from: link("success", { followUps: [half] }),
    event: wanted("reversal", 600),
    ...begun("reversal", 600, false, [half]),
  },
  {
    title: "of what is left",
    from: link("success", { followUps: [half] }),
    event: wanted("reversal"),
    ...begun("reversal", 634, true, [half]),
  },
  {
    title: "of more than is left",
    from: link("success", { followUps: [half] }),
    event: wanted("reversal", 635),
    effects: refusal("too_much"),
  },
  {
    title: "repeated: refused by itself",
    from: link("success", { followUps: [done] }),
    event: wanted("reversal"),
    effects: refusal("already_reversed"),
  },
  {
    title: "under the same id: the same answer",
    from: link("success", { followUps: [done] }),
    event: wanted("reversal", null, "f1"),
    effects: [{ type: "repeatFollowUp", params: { followUp: done } }],
  },
  {
    title: "under the same id, its answer lost: executed under it again",
    from: link("success", { followUps: [lost] }),
    event: wanted("reversal", null, "f1"),
    to: { followUps: [repeated] },
    effects: [{ type: "executeFollowUp", params: { followUp: repeated } }],
  },
  {
    title: "while another one is under way",
    from: link("success", { followUps: [unanswered()] }),
    event: wanted("reversal"),
    effects: refusal("under_way"),
  },
  {
    title: "after one whose answer was lost: that one is gone on with",
    from: link("success", { followUps: [lost] }),
    event: wanted("reversal"),
    to: { followUps: [repeated] },
    effects: [{ type: "executeFollowUp", params: { followUp: repeated } }],
  },
  {
    title: "once more after a refused repetition: what was refused then says nothing of this one",
    from: link("success", { followUps: [uncertain] }),
    event: wanted("reversal", null, "f1"),
    to: { followUps: [repeated] },
    effects: [{ type: "executeFollowUp", params: { followUp: repeated } }],
  },
  {
    title: "after one that the gateway refused",
    from: link("success", { followUps: [followUp({ state: "refused" })] }),
    event: wanted("reversal"),
    ...begun("reversal", 1234, true, [followUp({ state: "refused" })]),
  },
  {
    title: "after a refund",
    from: link("success", { followUps: [followUp({ type: "refund" })] }),
    event: wanted("reversal"),
    effects: refusal("already_refunded"),
  },
  {
    title: "the thirty-third",
    from: link("success", {
      followUps: Array.from({ length: 32 }, (_, index) => followUp({ id: `p${index}`, amountMinor: 1, whole: false })),
    }),
    event: wanted("reversal", 1),
    effects: refusal("too_many"),
  },
  ...(["created", "waiting", "watching", "failed", "expired"] as const).map((state) => ({
    title: `of a link that is ${state}`,
    from: link(state),
    event: wanted("reversal"),
    effects: refusal("not_paid"),
  })),
]);

table("refund and capture", [
  { title: "a refund is of the whole", from: link("success"), event: wanted("refund"), ...begun("refund", 1234, true) },
  { title: "a part is refused", from: link("success"), event: wanted("refund", 1_000), effects: refusal("partial_refund") },
  { title: "more is refused", from: link("success"), event: wanted("refund", 2_000), effects: refusal("too_much") },
  {
    title: "once",
    from: link("success", { followUps: [followUp({ type: "refund" })] }),
    event: wanted("refund"),
    effects: refusal("already_refunded"),
  },
  {
    title: "not of what was reversed",
    from: link("success", { followUps: [half] }),
    event: wanted("refund"),
    effects: refusal("already_reversed"),
  },
  { title: "not before it was captured", from: link("success", later), event: wanted("refund"), effects: refusal("not_captured") },
  {
    title: "of what was captured",
    from: link("success", { ...later, followUps: [captured] }),
    event: wanted("refund"),
    ...begun("refund", 1_000, true, [captured]),
  },
  { title: "a capture, of a part too", from: link("success", later), event: wanted("capture", 1_000), ...begun("capture", 1_000, false) },
  {
    title: "a capture once",
    from: link("success", { ...later, followUps: [captured] }),
    event: wanted("capture"),
    effects: refusal("already_captured"),
  },
  { title: "no capture of what was taken at once", from: link("success"), event: wanted("capture"), effects: refusal("already_captured") },
  {
    title: "no capture of what was reversed",
    from: link("success", { ...later, followUps: [done] }),
    event: wanted("capture"),
    effects: refusal("already_reversed"),
  },
]);

table("what the gateway refused without having looked at it", [
  {
    title: "is begun anew when it is asked for again",
    from: link("success", { followUps: [unread] }),
    event: wanted("reversal", null, "f1"),
    to: { followUps: [anew], nextAtMs: NOW_MS + 60_000 },
    effects: [{ type: "executeFollowUp", params: { followUp: anew } }],
  },
  {
    title: "as often as it is, and stays the same one's who asked first",
    from: link("success", { followUps: [{ ...unread, by: "key", begun: { times: 2, firstAtMs: 5 } }] }),
    event: { ...wanted("reversal", null, "f1"), by: "operator" },
    to: { followUps: [{ ...anew, by: "key", begun: { times: 3, firstAtMs: 5 } }], nextAtMs: NOW_MS + 60_000 },
    effects: [{ type: "executeFollowUp", params: { followUp: { ...anew, by: "key", begun: { times: 3, firstAtMs: 5 } } } }],
  },
  {
    title: "is not where something else was executed since",
    from: link("success", { followUps: [unread, followUp({ id: "r1", type: "refund" })] }),
    event: wanted("reversal", null, "f1"),
    effects: refusal("already_refunded"),
  },
]);

table("the gateway on a follow-up", [
  {
    title: "done",
    from: link("success", { followUps: [lost] }),
    event: { type: "followUp.answered", atMs: NOW_MS, id: "f1", tranId: "m2", resultCode: "GW_000", description: "ok" },
    to: { followUps: [{ ...lost, state: "done", finishedAtMs: NOW_MS, tranId: "m2", resultCode: "GW_000", description: "ok" }] },
  },
  {
    title: "refused",
    from: link("success", { followUps: [lost] }),
    event: { type: "followUp.refused", atMs: NOW_MS, id: "f1", resultCode: "GW_30004", description: "no" },
    to: { followUps: [{ ...lost, state: "refused", finishedAtMs: NOW_MS, resultCode: "GW_30004", description: "no" }] },
  },
  {
    title: "done, of a repetition",
    from: link("success", { followUps: [uncertain] }),
    event: { type: "followUp.answered", atMs: NOW_MS, id: "f1", tranId: "m2", resultCode: "GW_000", description: "ok" },
    to: { followUps: [{ ...lost, state: "done", finishedAtMs: NOW_MS, tranId: "m2", resultCode: "GW_000", description: "ok" }] },
  },
  {
    title: "refused, of a repetition: the attempt before may have been executed, the gateway is asked",
    from: link("success", { followUps: [repeated], nextAtMs: NOW_MS + 30_000 }),
    event: { type: "followUp.refused", atMs: NOW_MS, id: "f1", resultCode: "GW_30004", description: "no" },
    to: { followUps: [uncertain] },
    effects: [{ type: "verify", params: {} }],
  },
  ...["GW_30401", "GW_30404"].map((resultCode) => ({
    title: `refused unread with ${resultCode}, of a repetition: that says nothing of the attempt before`,
    from: link("success", { followUps: [repeated], nextAtMs: NOW_MS }),
    event: { type: "followUp.refused" as const, atMs: NOW_MS, id: "f1", resultCode, description: "no" },
    to: { nextAtMs: NOW_MS + 30_000 },
    effects: [{ type: "verify" as const, params: {} }],
  })),
  {
    title: "again",
    from: link("success", { followUps: [done] }),
    event: { type: "followUp.refused", atMs: NOW_MS, id: "f1", resultCode: "GW_30004", description: "no" },
  },
]);

import { visibilityOf } from "../../../engine/access/caller.ts";
import { partnerCaller } from "../actors/partner.ts";
import type { FaultSpec } from "../plan.ts";
import type { Evidence, Violation } from "./judge.ts";

/** Requests are answered, or their connections end, within this time. */
const ANSWER_MS_MAX = 20_000;

/** A probe that is taken by a session or a poll gets its result in less; a poller with several terminals takes its time. */
const PROBE_MS_MAX = 25_000;

export function judgeRest(evidence: Evidence): Violation[] {
  return [...waiting(evidence), ...seenByOthers(evidence), ...takenForNobody(evidence), ...defects(evidence)];
}

/** Some time after the last fault nothing is queued, everybody was answered, and a payment goes out at once. */
function waiting({ witness, settledAtMs, probes, probesAtMs, endMs, plan }: Evidence): Violation[] {
  const violations: Violation[] = [];
  for (const { uuid, state, askedAtMs } of witness.looks) {
    if (state === "queued" && askedAtMs >= settledAtMs) violations.push({ invariant: "nothing waits", uuid, what: "it is still queued" });
  }
  for (const { what, sinceMs } of witness.open.values()) {
    if (endMs - sinceMs > ANSWER_MS_MAX) violations.push({ invariant: "nothing waits", uuid: null, what: `${what} was never answered` });
  }
  for (const { uuid, terminalId } of probes) {
    const isThere = plan.devices.some(
      ({ login, topics, polls }) =>
        login === terminalId && (topics.some((topic) => topic.terminalId === terminalId) || polls.includes(terminalId)),
    );
    if (!isThere) continue;
    const got = witness.deliveries.find((delivery) => delivery.uuid === uuid);
    const isSent = witness.looks.some((look) => look.uuid === uuid && (look.state === "sent" || look.state === "unknown"));
    if (got === undefined && isSent) {
      violations.push({ invariant: "sent reaches a device", uuid, what: `${terminalId} is there, and the payment was sent to nobody` });
    } else if (got === undefined || got.atMs - probesAtMs > PROBE_MS_MAX) {
      violations.push({ invariant: "nothing waits", uuid, what: `a payment to ${terminalId}, which is there, did not go out at once` });
    }
  }
  return violations;
}

/** Nobody is told of what is not his, and no device gets what it has no right to. */
function seenByOthers({ witness, plan }: Evidence): Violation[] {
  const violations: Violation[] = witness.intrusions.map((what) => ({ invariant: "seen by its own", uuid: null, what }));
  const senderOf = new Map(witness.sendings.map(({ uuid, asker }) => [uuid, asker]));
  for (const { uuid, asker, state } of witness.looks) {
    const partner = plan.partners.find(({ name }) => name === asker);
    const command = plan.commands.find((spec) => spec.uuid === uuid);
    if (partner === undefined || command === undefined || state === "none" || senderOf.get(uuid) === asker) continue;
    if (visibilityOf(partnerCaller(partner), command.terminalId).type === "all") continue;
    violations.push({ invariant: "seen by its own", uuid, what: `${asker} was told ${state} of what ${senderOf.get(uuid)} sent` });
  }
  return violations;
}

/**
 * What a poll took whose asker had gone, or was told an error, goes back, so it does not end as `unknown`. A message that is lost, a commit
 * of which nobody hears, a session that breaks and a node that dies may each be why it cannot; so only histories without such are judged.
 */
function takenForNobody({ witness, plan }: Evidence): Violation[] {
  if (plan.faults.some(isHarsh)) return [];
  const violations: Violation[] = [];
  for (const { uuid, terminalId } of plan.commands) {
    const isPolled = !plan.devices.some(({ topics }) => topics.some((topic) => topic.terminalId === terminalId));
    if (!isPolled || witness.unread.has(uuid) || witness.deliveries.some((delivery) => delivery.uuid === uuid)) continue;
    const unknown = witness.looks.find((look) => look.uuid === uuid && look.state === "unknown");
    if (unknown === undefined) continue;
    violations.push({ invariant: "taken is not for nobody", uuid, what: `${unknown.asker} was told unknown, and no device ever got it` });
  }
  return violations;
}

function isHarsh(fault: FaultSpec): boolean {
  switch (fault.type) {
    case "store is slow":
      return fault.answerLost > 0;
    case "store is held up":
    case "clock steps":
    case "node stops":
      return false;
    case "messages suffer":
      return fault.dropped > 0 || fault.refused > 0;
    default:
      return true;
  }
}

function defects({ witness }: Evidence): Violation[] {
  return witness.defects.map((what) => ({ invariant: "no defects", uuid: null, what }));
}

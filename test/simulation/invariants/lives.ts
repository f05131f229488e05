import type { CommandState } from "../../../engine/payments/command.ts";
import type { Delivery, Look, Sending, Witness } from "../witness.ts";
import { byUuid, type Evidence, isForgotten, isOfLostStore, restoredHow, type Violation } from "./judge.ts";

const RANK: Record<CommandState, number> = { queued: 0, sent: 1, expired: 2, cancelled: 2, unknown: 2, done: 3 };

/** What is shown of a command moves forward; what is shown `expired` or `cancelled` never left. */
export function judgeLives({ witness, feed, plan }: Evidence): Violation[] {
  const violations: Violation[] = [];
  const delivered = byUuid(witness.deliveries);
  for (const [uuid, looks] of byUuid(witness.looks)) {
    const left = delivered.get(uuid)?.[0];
    for (const look of looks) {
      const { state, asker } = look;
      if (left === undefined || (state !== "expired" && state !== "cancelled") || isForgotten(witness, uuid)) continue;
      if (state === "cancelled" && witness.renounced.has(uuid)) continue;
      const isRestored = isOfLostStore(witness, uuid, left.atMs);
      violations.push({
        invariant: isRestored ? "restored: never called expired" : state === "expired" ? "expired never left" : "cancelled never executed",
        uuid,
        what: `${asker} was told ${state}, and ${left.device} has it${isRestored ? restoredHow(witness) : ""}`,
      });
      break;
    }
    if (isOfLostStore(witness, uuid, left?.atMs ?? looks[0]?.askedAtMs)) continue;
    const terminalId = plan.commands.find((command) => command.uuid === uuid)?.terminalId;
    const topics = plan.devices.flatMap((device) => device.topics.filter((topic) => topic.terminalId === terminalId));
    const isRedelivered = topics.some(({ ack, redeliver }) => ack === "client-individual" && redeliver);
    violations.push(...backwards(witness, uuid, looks, isRedelivered));
    if (left !== undefined) violations.push(...forgotten(uuid, looks, left));
  }
  for (const { uuid, state } of feed.lives.values()) {
    const left = delivered.get(uuid)?.[0];
    if (left === undefined || state !== "expired" || isForgotten(witness, uuid)) continue;
    const isRestored = isOfLostStore(witness, uuid, left.atMs);
    violations.push({
      invariant: isRestored ? "restored: never called expired" : "expired never left",
      uuid,
      what: `the feed says expired, and ${left.device} has it${isRestored ? restoredHow(witness) : ""}`,
    });
  }
  return [...violations, ...judgeAcceptance({ witness, plan }), ...judgeStatus({ witness, plan })];
}

function backwards(witness: Witness, uuid: string, looks: readonly Look[], isRedelivered: boolean): Violation[] {
  const inOrder = [...looks].sort((one, other) => one.askedAtMs - other.askedAtMs);
  for (const look of inOrder) {
    for (const earlier of inOrder) {
      if (earlier.answeredAtMs >= look.askedAtMs || mayFollow(witness, uuid, earlier, look)) continue;
      return [
        {
          invariant: invariantOf(earlier, look, isRedelivered),
          uuid,
          what: `${earlier.asker} was told ${earlier.state}, and after that ${look.asker} ${look.state}`,
        },
      ];
    }
  }
  return [];
}

function invariantOf(before: Look, now: Look, isRedelivered: boolean): Violation["invariant"] {
  if (isRedelivered && before.state === "sent" && now.state === "queued") return "what is unacknowledged stays sent";
  if (now.how === "latest") return "status is not behind";
  return before.state === "done" ? "done stays done" : "lives move forward";
}

/** Its life says that it never left, or forgets how often, though a device has it. */
function forgotten(uuid: string, looks: readonly Look[], left: Delivery): Violation[] {
  const look = looks.find(({ state, attempts }) => attempts === 0 && (state === "done" || state === "unknown"));
  if (look === undefined) return [];
  return [
    {
      invariant: "what left is told as sent",
      uuid,
      what: `${look.asker} was told ${look.state} and sent 0 times, and ${left.device} got it`,
    },
  ];
}

function mayFollow(witness: Witness, uuid: string, { state: before }: Look, { state: now, answeredAtMs }: Look): boolean {
  // What somebody may not see he is told nothing of.
  if (before === "none" || now === "none" || before === now) return true;
  if (RANK[now] > RANK[before]) return true;
  if (before === "unknown" && now === "cancelled") return witness.renounced.has(uuid);
  return before === "sent" && now === "queued" && mayComeBack(witness, uuid, answeredAtMs);
}

/** A NACK of a first attempt, or what certainly was not written: also because its session or its asker had gone, of which only the relay knows. */
function mayComeBack(witness: Witness, uuid: string, byMs: number): boolean {
  if (witness.unwritten.has(uuid) || witness.given.has(uuid)) return true;
  if (!witness.deliveries.some((delivery) => delivery.uuid === uuid && delivery.atMs <= byMs)) return true;
  return witness.deliveries.some((delivery) => delivery.uuid === uuid && delivery.nackedAtMs !== null);
}

/** Who asks for the status of a terminal is not told of an older command than his latest there. */
function judgeStatus({ witness, plan }: Pick<Evidence, "witness" | "plan">): Violation[] {
  const specOf = new Map(plan.commands.map((command) => [command.uuid, command]));
  const latest = witness.looks.filter(({ how, state }) => how === "latest" && state !== "none");
  return latest.flatMap((look): Violation[] => {
    const shown = specOf.get(look.uuid);
    const accepted = (uuid: string) => witness.sendings.find((sending) => sending.uuid === uuid && sending.answer === "accepted");
    const shownAtMs = accepted(look.uuid)?.answeredAtMs ?? null;
    if (shown === undefined || shownAtMs === null || isOfLostStore(witness, look.uuid)) return [];
    const newer = witness.sendings.find((sending) => {
      if (sending.asker !== look.asker || sending.terminalId !== shown.terminalId || sending.answer !== "accepted") return false;
      const isShown = specOf.get(sending.uuid)?.kind !== "administrative";
      return isShown && sending.askedAtMs > shownAtMs && (sending.answeredAtMs ?? look.askedAtMs) < look.askedAtMs;
    });
    if (newer === undefined) return [];
    return [
      {
        invariant: "status is of the latest command",
        uuid: look.uuid,
        what: `${look.asker} was told of it, and had sent ${newer.uuid} after it`,
      },
    ];
  });
}

/** What was accepted is known to its sender from then on, and is accepted once. */
function judgeAcceptance({ witness }: Pick<Evidence, "witness" | "plan">): Violation[] {
  const violations: Violation[] = [];
  for (const [uuid, sendings] of byUuid(witness.sendings)) {
    const accepted = sendings.filter(({ answer }) => answer === "accepted");
    const [first] = accepted;
    const refused = sendings.find(
      (sending) => sending.answer === "duplicate" && !sendings.some((other) => mayStandInTheWay(other, sending)),
    );
    if (refused !== undefined)
      violations.push({
        invariant: "refused for what was sent",
        uuid,
        what: `${refused.asker} was told duplicate, and nobody had sent it`,
      });
    if (first === undefined || isOfLostStore(witness, uuid)) continue;
    if (accepted.length > 1)
      violations.push({ invariant: "accepted once", uuid, what: `${accepted.length} requests were told that it is accepted` });
    const ignorant = witness.looks.find(
      (look) =>
        look.uuid === uuid &&
        look.state === "none" &&
        look.asker === first.asker &&
        look.askedAtMs >= (first.answeredAtMs ?? look.askedAtMs + 1),
    );
    if (ignorant !== undefined)
      violations.push({ invariant: "accepted is known", uuid, what: `${ignorant.asker} was told that it is not known` });
  }
  return violations;
}

function mayStandInTheWay(other: Sending, sending: Sending): boolean {
  return other !== sending && other.askedAtMs <= (sending.answeredAtMs ?? sending.askedAtMs);
}

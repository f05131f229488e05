import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { QUEUED_COMMANDS_MAX, QUEUED_OF_SENDER_MAX, SENT_COMMANDS_MAX, SENT_OF_SENDER_MAX } from "../../../engine/kernel/limits.ts";
import { expiresAtMs } from "../../../engine/payments/command.ts";
import type { TerminalContext, TerminalEffect, TerminalEvent } from "../../../engine/terminals/events.ts";
import { nextDeadlineMs, stateOf } from "../../../engine/terminals/rules.ts";
import { stepTerminal } from "../../../engine/terminals/step-terminal.ts";
import {
  accepted,
  cancelRequested,
  context,
  latest,
  NOW_MS,
  polled,
  pushed,
  pushedAgain,
  queued,
  resulted,
  sent,
} from "./step-terminal-world.ts";

/** One thing that happens; `pick` chooses among what is outstanding, for results and cancels also among what has ended. */
type Happening =
  | { does: "accept"; kind: "payment" | "scan" | "administrative"; sender: string }
  | { does: "poll" }
  | { does: "push" | "redeliver"; session: string }
  | { does: "undelivered" | "ack" | "nack" | "cancel"; pick: number; session: string }
  | { does: "lose"; session: string }
  | { does: "result"; pick: number; status: "OK" | "KO" }
  | { does: "unasked"; status: "OK" | "KO" }
  | { does: "wait"; ms: number };

/** Whom a rule names, and two whom only ANY admits. */
const SENDERS = ["partner:1", "partner:2", "partner:3"] as const;
const isByAny = (sender: string) => sender !== "partner:1";

const session = fc.constantFrom("redelivering", "acknowledging", "plain");
const pick = fc.nat(40);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant("accept" as const),
      kind: fc.constantFrom("payment" as const, "scan" as const, "administrative" as const),
      sender: fc.constantFrom(...SENDERS),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("poll" as const) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant("push" as const), session }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("redeliver" as const), session }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constantFrom("undelivered" as const, "ack" as const, "nack" as const, "cancel" as const),
      pick,
      session: fc.oneof({ weight: 3, arbitrary: fc.constant("holder") }, session),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("lose" as const), session }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant("result" as const), pick, status: fc.constantFrom("OK" as const, "KO" as const) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("unasked" as const), status: fc.constantFrom("OK" as const, "KO" as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("wait" as const), ms: fc.constantFrom(1, 500, 1_000, 30_000, 60_000, 300_000) }) },
);

interface Known {
  kind: "payment" | "scan" | "administrative" | "cancel";
  sender: string;
  cancels: string | null;
  delivered: number;
  /** Something happened that allows it to be handed out once more. */
  mayRepeat: boolean;
  /** A session was lost with it: then only a session with the declaration may get it. */
  held: boolean;
  end: "done" | "unknown" | "expired" | "cancelled" | null;
  result: "OK" | "KO" | null;
}

/** Plays happenings through the machine and checks after each step what must always hold. */
class Play {
  readonly #known = new Map<string, Known>();
  #context: TerminalContext = context();
  #nowMs = NOW_MS;
  #count = 0;

  happen(what: Happening): void {
    const event = this.#eventOf(what);
    if (event === null) return;
    const before = this.#context;
    const { context: after, effects } = stepTerminal(before, event);
    this.#allow(event, before);
    this.#context = after;
    if (event.type === "result.recorded" && !event.unsolicited) this.#at(event.uuid).result = event.status;
    for (const effect of effects) {
      if (effect.type === "deliver") this.#delivered(event, effect.params.uuid, effect.params.attempt);
      if (effect.type === "finished")
        this.#finished(effect.params.uuid, effect.params.state, effect.params.attempts, effect.params.sentAtMs);
      if (effect.type === "refusedFull") this.#known.delete(effect.params.uuid);
    }
    if (event.type === "cancel.requested" && !effects.some((effect) => effect.type === "cancelQueued"))
      this.#known.delete(event.cancel.uuid);
    this.#check(event);
    this.#checkShares(before, effects);
  }

  #eventOf(what: Happening): TerminalEvent | null {
    const atMs = this.#nowMs;
    switch (what.does) {
      case "accept": {
        const uuid = this.#fresh({ kind: what.kind, sender: what.sender, cancels: null });
        return accepted(uuid, { kind: what.kind, sender: what.sender, byAny: isByAny(what.sender) }, atMs);
      }
      case "poll":
        return polled(atMs);
      case "push":
        return pushed(what.session, { acknowledges: what.session !== "plain", redeliver: what.session === "redelivering" }, atMs);
      case "redeliver":
        return pushedAgain(what.session, what.session === "redelivering", atMs);
      case "undelivered":
        return this.#sentTo(what, (uuid, holder) => ({ type: "command.undelivered", atMs, uuid, session: holder, sentAtMs: null }));
      case "ack":
        return this.#sentTo(what, (uuid, holder) => ({ type: "command.acknowledged", atMs, uuid, session: holder }));
      case "nack":
        return this.#sentTo(what, (uuid, holder) => ({ type: "command.refused", atMs, uuid, session: holder }));
      case "lose":
        return { type: "session.lost", atMs, session: what.session };
      case "result":
        // The runtime steps the first result of a uuid only (ARCHITECTURE.md, promise 4).
        return this.#of(what.pick, (uuid, { result, cancels }) =>
          result !== null ? null : { type: "result.recorded", atMs, uuid, status: what.status, unsolicited: false, cancels },
        );
      case "unasked":
        this.#count += 1;
        return { type: "result.recorded", atMs, uuid: `unasked-${this.#count}`, status: what.status, unsolicited: true, cancels: null };
      case "cancel":
        return this.#of(what.pick, (uuid, { kind, end, sender }) => {
          const asked = [...this.#context.queue, ...this.#context.sent].some((entry) => entry.cancels === uuid);
          if (kind === "cancel" || end !== null || asked) return null;
          const cancelUuid = this.#fresh({ kind: "cancel", sender, cancels: uuid });
          const entry = { kind: "cancel", sender, cancels: uuid, acceptedAtMs: atMs, expiresAtMs: expiresAtMs(atMs) } as const;
          const { attempts: _attempts, refusedBy: _refusedBy, ...cancel } = queued(cancelUuid, { ...entry, byAny: isByAny(sender) });
          return { type: "cancel.requested", atMs, uuid, cancel };
        });
      case "wait":
        this.#nowMs += what.ms;
        return { type: "deadline.passed", atMs: this.#nowMs };
    }
  }

  #fresh({ kind, sender, cancels }: Pick<Known, "kind" | "sender" | "cancels">): string {
    this.#count += 1;
    const uuid = `u${this.#count}`;
    this.#known.set(uuid, { kind, sender, cancels, delivered: 0, mayRepeat: false, held: false, end: null, result: null });
    return uuid;
  }

  /** Among all that was ever accepted, the latest first, so that low numbers are what is outstanding. */
  #of(index: number, make: (uuid: string, known: Known) => TerminalEvent | null): TerminalEvent | null {
    const entries = [...this.#known].reverse();
    const entry = entries[index % Math.max(1, entries.length)];
    return entry === undefined ? null : make(entry[0], entry[1]);
  }

  /** Among what was sent. `holder` is the session that has it, or another one. */
  #sentTo(what: { pick: number; session: string }, make: (uuid: string, holder: string) => TerminalEvent): TerminalEvent | null {
    const entry = this.#context.sent[what.pick % Math.max(1, this.#context.sent.length)];
    if (entry === undefined) return null;
    return make(entry.uuid, what.session === "holder" ? (entry.session ?? "nobody") : what.session);
  }

  #at(uuid: string): Known {
    const known = this.#known.get(uuid);
    assert.ok(known !== undefined, `an effect names ${uuid}, which was never accepted`);
    return known;
  }

  #allow(event: TerminalEvent, before: TerminalContext): void {
    for (const entry of before.sent) {
      const undelivered = event.type === "command.undelivered" && event.uuid === entry.uuid && event.session === entry.session;
      const refused = event.type === "command.refused" && event.uuid === entry.uuid && event.session === entry.session && entry.awaitingAck;
      const lost = event.type === "session.lost" && event.session === entry.session && entry.redeliverable;
      if (undelivered || refused || lost) this.#at(entry.uuid).mayRepeat = true;
      if (lost && entry.expiresAtMs > event.atMs) this.#at(entry.uuid).held = true;
      if (undelivered) this.#at(entry.uuid).delivered -= 1;
    }
  }

  #delivered(event: TerminalEvent, uuid: string, attempt: number): void {
    const known = this.#at(uuid);
    const declared = event.type === "command.redelivered" && event.session.redeliver;
    assert.equal(declared, known.held, `${uuid} is given to who did not declare it, or without need`);
    assert.ok(known.delivered === 0 || known.mayRepeat, `${uuid} is handed out twice`);
    assert.equal(known.end, null, `${uuid} is handed out after its end`);
    known.delivered += 1;
    known.mayRepeat = false;
    assert.equal(attempt, known.delivered);
  }

  #finished(uuid: string, state: NonNullable<Known["end"]>, attempts: number, sentAtMs: number | null): void {
    const known = this.#at(uuid);
    assert.equal(known.end, null, `${uuid} ends twice`);
    known.end = state;
    const neverLeft = attempts === 0 && sentAtMs === null;
    if (state === "expired") assert.ok(neverLeft && known.delivered === 0, `${uuid} is said to have expired, and had left`);
    const cancelledByTerminal = [...this.#known.values()].some((other) => other.cancels === uuid && other.result === "OK");
    if (state === "cancelled")
      assert.ok((neverLeft && known.delivered === 0) || cancelledByTerminal, `${uuid} is cancelled on nobody's word`);
  }

  /** Says whether one more command is taken on. */
  isAccepted(what: Extract<Happening, { does: "accept" }>): boolean {
    const before = this.#context.queue.length;
    this.happen(what);
    return this.#context.queue.length === before + 1;
  }

  /** Nobody has more than his share, and nobody is refused while he has not. */
  #checkShares(before: TerminalContext, effects: readonly TerminalEffect[]): void {
    const { queue, sent: awaited } = this.#context;
    const count = (list: readonly { sender: string; byAny: boolean }[], holder: string) =>
      list.filter(({ sender, byAny }) => (holder === "any" ? byAny : sender === holder)).length;
    const holders = [...SENDERS, "any"];
    for (const holder of holders) {
      assert.ok(count(awaited, holder) <= SENT_OF_SENDER_MAX, `${holder} has too many sent`);
      assert.ok(count(queue, holder) + count(awaited, holder) <= QUEUED_OF_SENDER_MAX + SENT_OF_SENDER_MAX, `${holder} has too many`);
    }
    for (const effect of effects) {
      if (effect.type === "accepted") {
        const { sender, byAny } = queue.find(({ uuid }) => uuid === effect.params.uuid) ?? assert.fail("what was accepted does not wait");
        assert.ok(count(queue, sender) <= QUEUED_OF_SENDER_MAX && (!byAny || count(queue, "any") <= QUEUED_OF_SENDER_MAX));
      }
      if (effect.type !== "refusedFull") continue;
      const { bound } = effect.params;
      const taken =
        Math.min(QUEUED_OF_SENDER_MAX, count(before.queue, "partner:1")) + Math.min(QUEUED_OF_SENDER_MAX, count(before.queue, "any"));
      if (bound === "terminal") assert.ok(taken >= QUEUED_COMMANDS_MAX, "places are free");
      else
        assert.ok(
          bound === "any"
            ? count(before.queue, "any") >= QUEUED_OF_SENDER_MAX
            : holders.some((one) => count(before.queue, one) >= QUEUED_OF_SENDER_MAX),
        );
    }
  }

  #check(event: TerminalEvent): void {
    const { queue, sent: awaited, latest: ofSenders } = this.#context;
    const outstanding = [...queue, ...awaited].map((entry) => entry.uuid);
    assert.equal(new Set(outstanding).size, outstanding.length, "a uuid stands twice");
    for (const uuid of outstanding) assert.equal(this.#at(uuid).end, null, `${uuid} has ended and is outstanding`);
    for (const [uuid, { end }] of this.#known) assert.ok(end !== null || outstanding.includes(uuid), `${uuid} is lost`);
    assert.ok(awaited.length <= SENT_COMMANDS_MAX);
    // What came back of one sender takes no place of others.
    assert.ok(queue.length + awaited.length <= QUEUED_COMMANDS_MAX + SENT_COMMANDS_MAX + SENT_OF_SENDER_MAX);
    const deadlines = [
      ...queue.flatMap(({ expiresAtMs: at, refusedBy }) => (refusedBy === null ? [at] : [at, refusedBy.untilMs])),
      ...awaited.flatMap(({ unknownAtMs, refusedBy }) => (refusedBy === null ? [unknownAtMs] : [unknownAtMs, refusedBy.untilMs])),
    ];
    assert.equal(nextDeadlineMs(this.#context), deadlines.length === 0 ? null : Math.min(...deadlines));
    if (event.type === "deadline.passed")
      assert.ok(
        deadlines.every((at) => at > event.atMs),
        "a deadline is overdue after it was carried out",
      );
    for (const { uuid, answered, sender } of ofSenders) {
      if (sender === "") continue;
      assert.equal(answered, this.#at(uuid).result !== null, `${uuid} is shown as answered by another result`);
      const newest = [...this.#known].filter(([, known]) => known.sender === sender && (known.kind === "payment" || known.kind === "scan"));
      assert.equal(uuid, newest.at(-1)?.[0], "an older command stands for a newer one");
    }
    if (ofSenders[0]?.sender === "") assert.ok(ofSenders[1] === undefined || ofSenders[1].sender === "" || ofSenders[1].answered);
  }
}

describe("whatever happens to a terminal", () => {
  it("a flood of those whom only rule ANY admits takes half of its places, whatever the terminal does with it", () => {
    const named = fc.record({
      does: fc.constant("accept" as const),
      kind: fc.constant("payment" as const),
      sender: fc.constant("partner:1"),
    });
    const floods = fc.record({
      does: fc.constant("accept" as const),
      kind: fc.constant("scan" as const),
      sender: fc.constantFrom("partner:2", "partner:3"),
    });
    const terminal = fc.oneof(
      fc.record({ does: fc.constant("push" as const), session }),
      fc.record({ does: fc.constantFrom("nack" as const, "undelivered" as const), pick, session: fc.constant("holder") }),
      fc.record({ does: fc.constant("wait" as const), ms: fc.constantFrom(1, 1_000) }),
    );
    const flood = fc.array(fc.oneof({ weight: 3, arbitrary: floods }, { weight: 2, arbitrary: terminal }), {
      minLength: 60,
      maxLength: 200,
      size: "max",
    });
    fc.assert(
      fc.property(flood, named, (happenings, payment) => {
        const play = new Play();
        for (const what of happenings) play.happen(what);
        for (let count = 0; count < QUEUED_OF_SENDER_MAX; count += 1) assert.ok(play.isAccepted(payment), "the owner is shut out");
      }),
      { numRuns: 100 },
    );
  });

  it("no command is lost, handed out twice, ended twice or answered by another's result", () => {
    fc.assert(
      fc.property(fc.array(happening, { minLength: 1, maxLength: 150, size: "max" }), (happenings) => {
        const play = new Play();
        for (const what of happenings) play.happen(what);
      }),
      { numRuns: 150 },
    );
  });

  it("the bounds hold however many commands come and are given back", () => {
    const play = new Play();
    for (let round = 0; round < 12; round += 1) {
      for (let count = 0; count < 20; count += 1) play.happen({ does: "accept", kind: "payment", sender: "partner:1" });
      for (let count = 0; count < 20; count += 1) play.happen({ does: "push", session: "redelivering" });
      if (round % 4 === 3) play.happen({ does: "lose", session: "redelivering" });
    }
  });

  const states: Record<string, TerminalContext> = {
    idle: context({ latest: [latest("old", true)] }),
    waiting: context({ queue: [queued("a")], sent: [sent("b", { awaitingAck: true, redeliverable: true })], latest: [latest("a", false)] }),
    executing: context({ sent: [sent("b", { awaitingAck: true, redeliverable: true })], latest: [latest("b", false)] }),
  };
  const strangers: TerminalEvent[] = [
    { type: "command.undelivered", atMs: NOW_MS, uuid: "stranger", session: "s1", sentAtMs: null },
    { type: "command.undelivered", atMs: NOW_MS, uuid: "b", session: null, sentAtMs: NOW_MS - 500 },
    { type: "command.acknowledged", atMs: NOW_MS, uuid: "stranger", session: "s1" },
    { type: "command.refused", atMs: NOW_MS, uuid: "stranger", session: "s1" },
    { type: "command.refused", atMs: NOW_MS, uuid: "b", session: "s9" },
    { type: "session.lost", atMs: NOW_MS, session: "s9" },
    resulted("stranger"),
    resulted("stranger", { cancels: "stranger-too" }),
    cancelRequested("stranger", "c"),
    { type: "deadline.passed", atMs: NOW_MS },
  ];
  for (const [name, from] of Object.entries(states)) {
    for (const event of strangers) {
      it(`${event.type} that concerns nothing outstanding changes nothing while ${name}: ${JSON.stringify(event).slice(0, 90)}`, () => {
        const { context: after, effects } = stepTerminal(from, event);
        assert.deepEqual(effects, []);
        assert.deepEqual(after, from);
        assert.equal(stateOf(after), name);
      });
    }
  }
});

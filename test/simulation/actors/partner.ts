import type { Caller } from "../../../engine/access/caller.ts";
import { compileRule } from "../../../engine/access/terminal-rule.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";
import type { CommandView } from "../../../engine/terminals/terminals.ts";
import { createPatternCompiler } from "../../../http/auth/pattern.ts";
import type { CommandSpec, PartnerSpec } from "../plan.ts";
import { inOtherLetters } from "../random.ts";
import type { Look, Sending } from "../witness.ts";
import type { SimHttp } from "../world/sim-http.ts";
import type { SimShard } from "../world/sim-shard.ts";
import type { World } from "../world/world.ts";
import { contentOf } from "./result-poster.ts";

const patterns = createPatternCompiler();

/** A sender that gets no certain answer asks again with the same uuid, so often. */
const TRIES_MAX = 6;

export function partnerCaller({ id, name, rule }: PartnerSpec): Caller {
  return { type: "partner", partnerId: id, username: name, terminals: compileRule(rule, patterns) };
}

export const ADMINISTRATOR: Caller = { type: "administrator", username: "admin", role: "owner" };

/** Somebody who sends commands and asks for them: a partner, or the administrator. */
export class Asker {
  readonly name: string;
  readonly #world: World;
  readonly #http: SimHttp;
  readonly #caller: Caller;

  constructor(world: World, http: SimHttp, name: string, caller: Caller) {
    this.#world = world;
    this.#http = http;
    this.name = name;
    this.#caller = caller;
  }

  get caller(): Caller {
    return this.#world.plant.caller(this.#caller);
  }

  /** Sends a command, and again until the answer is certain. Resolves when it is, or when it is given up. */
  async send(command: CommandSpec): Promise<void> {
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const { answer } = await this.sendOnce(command);
      if (!["none", "unavailable", "too_busy", "queue_full"].includes(answer)) return;
      await this.#world.sleep(this.#world.randomOf(command.uuid).between(200, 2_500));
    }
  }

  /** One request; `written`: its uuid as this request has it. */
  async sendOnce(command: CommandSpec, written = command.uuid): Promise<Sending> {
    const { uuid, terminalId, amount } = command;
    const { witness, scheduler, trace } = this.#world;
    const sending: Sending = { uuid, asker: this.name, terminalId, amount, askedAtMs: scheduler.nowMs, answeredAtMs: null, answer: "none" };
    witness.sendings.push(sending);
    this.#world.count("command sent");
    trace.note(this.name, `sends ${command.kind} ${written} to ${terminalId}`);
    const answer = await this.#http.request(`${command.kind} ${uuid}`, (shard) => this.#carryOut(shard, { ...command, uuid: written }));
    if (answer.type === "answered") sending.answer = answer.value;
    if (answer.type === "failed") sending.answer = answer.code;
    if (answer.type !== "none") sending.answeredAtMs = scheduler.nowMs;
    trace.note(this.name, `is told ${sending.answer} for ${uuid}`);
    return sending;
  }

  async #carryOut(shard: SimShard, { uuid, terminalId, kind, amount }: CommandSpec): Promise<string> {
    const { caller } = this;
    if (kind === "payment") return (await shard.sendPayment(caller, terminalId, { uuid, amount, service: "PAYCC" })).outcome.type;
    const body = { uuid, ...(kind === "print" ? { text: "a slip" } : {}), ...(kind === "administrative" ? { service: "LOGCAT" } : {}) };
    return (await shard.sendUtility(kind, caller, terminalId, body)).outcome.type;
  }

  /** Asks where a command stands; null where no answer came. */
  async look(uuid: string): Promise<Look | null> {
    const random = this.#world.randomOf(`looks of ${this.name} at ${uuid}`);
    const how = random.chance(0.3) ? "uuid" : "life";
    const waitMs = random.chance(0.3) ? 2_000 : 0;
    const asked = random.chance(0.2) ? inOtherLetters(uuid) : uuid;
    return this.#look(uuid, how, async (shard) => {
      if (how === "life") {
        const view = await shard.commandLife.find(this.caller, asked);
        return view === null ? UNKNOWN : toldOf(view);
      }
      const found = await shard.findTransaction.byUuid(this.caller, asked, waitMs);
      return found.type === "unknown" ? UNKNOWN : toldOf(found.view);
    });
  }

  /** Asks for the latest command of a terminal; what is answered may be of any uuid. */
  async latest(terminalId: string): Promise<void> {
    await this.#look(`latest of ${terminalId}`, "latest", async (shard) => {
      const found = await shard.findTransaction.latest(this.caller, terminalId, 0);
      return found.type === "unknown" ? UNKNOWN : toldOf(found.view);
    });
  }

  async cancel(uuid: string): Promise<void> {
    const asked = this.#world.randomOf(`cancel of ${uuid}`).chance(0.2) ? inOtherLetters(uuid) : uuid;
    this.#world.count("cancel");
    await this.#look(uuid, "cancel", async (shard) => {
      const { outcome, uuid: shown } = await shard.commandLife.cancel(this.caller, asked);
      switch (outcome.type) {
        case "cancelled":
          return { ...UNKNOWN, shown, state: "cancelled" };
        case "requested":
          return { ...UNKNOWN, shown, state: "sent" };
        case "too_late":
          return { ...UNKNOWN, shown, state: outcome.state };
        case "not_found":
          return UNKNOWN;
      }
    });
  }

  async #look(uuid: string, how: Look["how"], work: (shard: SimShard) => Promise<Told>): Promise<Look | null> {
    const { witness, scheduler, trace } = this.#world;
    const askedAtMs = scheduler.nowMs;
    const answer = await this.#http.request(`${how} of ${uuid}`, work);
    this.#world.count("look");
    if (answer.type !== "answered") {
      trace.note(this.name, `asks for ${uuid} (${how}): ${answer.type === "failed" ? answer.code : "no answer"}`);
      return null;
    }
    // What another terminal posted under the uuid is nothing of the command.
    const isStrange = this.#world.isStrange(answer.value.shown ?? uuid, answer.value.terminalId);
    if (isStrange && how === "latest") return null;
    const { state, content, attempts, shown } = isStrange ? UNKNOWN : answer.value;
    // A status is of whatever command it shows.
    const look: Look = {
      uuid: how === "latest" ? (shown ?? uuid) : uuid,
      shown,
      asker: this.name,
      how,
      askedAtMs,
      answeredAtMs: scheduler.nowMs,
      state,
      content,
      attempts,
    };
    trace.note(this.name, `asks for ${uuid} (${how}): ${state}${content === null ? "" : ` ${content}`}, sent ${attempts ?? "?"} times`);
    witness.looks.push(look);
    return look;
  }
}

interface Told extends Pick<Look, "state" | "content" | "attempts" | "shown"> {
  /** Whose it is, where that is told. */
  terminalId: string | null;
}

const UNKNOWN: Told = { state: "none", content: null, attempts: null, shown: null, terminalId: null };

function toldOf({ uuid, terminalId, state, transaction, attempts }: CommandView): Told {
  return { state, content: contentIn(transaction), attempts, shown: transaction?.uuid ?? uuid, terminalId };
}

function contentIn(transaction: Transaction | null): string | null {
  if (transaction === null) return null;
  return contentOf(transaction.status, transaction.amountCents, transaction.auth?.authCode ?? "");
}

import { RelayError } from "../../../engine/kernel/errors.ts";
import { openSocket, posting, type Socket, type World } from "../../engine/world.ts";
import type { Random } from "../random.ts";

/** What a terminal did with one payment, as its acquirer would tell. */
export interface Deed {
  receivedTimes: number;
  amountCents: number;
  /** When its customer's card is charged or declined; null once that was cancelled. */
  atMs: number | null;
  approves: boolean;
  chargedTimes: number;
}

interface Posting {
  members: Record<string, unknown>;
  uuid: string;
  dueMs: number;
}

/** The terminal T1: pays in its own time, posts until it is heard, answers a CANCEL in one of three ways. */
export class SimDevice {
  readonly deeds = new Map<string, Deed>();
  readonly #random: Random;
  readonly #note: (what: string) => void;
  readonly #postings: Posting[] = [];
  #world: World | null = null;
  #socket: Socket | null = null;
  #read = 0;
  #connections = 0;
  #reconnectMs = 0;
  #posting = false;

  constructor(random: Random, note: (what: string) => void) {
    this.#random = random;
    this.#note = note;
  }

  /** The relay stopped, or the line is gone: nothing is written to it any more. */
  disconnect(nowMs: number): void {
    if (this.#socket !== null) {
      this.#take(nowMs);
      this.#socket.writable = false;
      if (this.#world !== null) this.#world.shard.sessions.close("T1", `d${this.#connections}`);
    }
    this.#socket = null;
    this.#world = null;
    this.#reconnectMs = nowMs + this.#random.between(0, 8_000);
  }

  step(world: World, nowMs: number): void {
    if (this.#socket === null) {
      if (nowMs < this.#reconnectMs) return;
      this.#connections += 1;
      this.#world = world;
      this.#read = 0;
      this.#socket = openSocket(world.shard, `d${this.#connections}`);
    }
    world.shard.sessions.active("T1", `d${this.#connections}`);
    this.#take(nowMs);
    for (const [uuid, deed] of this.deeds) {
      if (deed.atMs === null || deed.atMs > nowMs) continue;
      deed.atMs = null;
      if (deed.approves) deed.chargedTimes += 1;
      this.#note(`terminal ${deed.approves ? "charges" : "declines"} ${uuid}`);
      const dueMs = nowMs + (this.#random.chance(0.1) ? this.#random.between(20_000, 400_000) : this.#random.between(0, 2_000));
      this.#postings.push({ uuid, dueMs, members: { result: deed.approves ? "OK" : "KO", amount: deed.amountCents } });
    }
    void this.#post(world, nowMs);
  }

  #take(nowMs: number): void {
    const texts = this.#socket?.texts ?? [];
    for (const text of texts.slice(this.#read)) this.#receive(JSON.parse(text), nowMs);
    this.#read = texts.length;
  }

  #receive(command: { uuid: string; service: string; amount: number; cancels?: string }, nowMs: number): void {
    const { uuid, service, amount, cancels } = command;
    if (service === "CANCEL") {
      this.#cancel(uuid, cancels ?? "", nowMs);
      return;
    }
    const known = this.deeds.get(uuid);
    this.#note(`terminal gets ${uuid} of ${amount}${known === undefined ? "" : " again"}`);
    if (known !== undefined) {
      // It remembers nothing: a terminal that gets a command twice charges twice.
      known.receivedTimes += 1;
      known.atMs = nowMs;
      return;
    }
    const atMs = nowMs + (this.#random.chance(0.15) ? this.#random.between(20_000, 200_000) : this.#random.between(500, 15_000));
    this.deeds.set(uuid, { receivedTimes: 1, amountCents: amount, atMs, approves: this.#random.chance(0.75), chargedTimes: 0 });
  }

  #cancel(uuid: string, cancels: string, nowMs: number): void {
    const deed = this.deeds.get(cancels);
    // It says nothing to one in four.
    if (this.#random.chance(0.25)) {
      this.#note(`terminal ignores the cancel of ${cancels}`);
      return;
    }
    const stops = deed !== undefined && deed.atMs !== null && this.#random.chance(0.7);
    if (stops) deed.atMs = null;
    this.#note(`terminal ${stops ? "cancels" : "does not cancel"} ${cancels}`);
    const members = { service: "CANCEL", result: stops ? "OK" : "KO", cancels, amount: 0 };
    this.#postings.push({ uuid, members, dueMs: nowMs + this.#random.between(0, 2_000) });
  }

  async #post(world: World, nowMs: number): Promise<void> {
    if (this.#posting) return;
    this.#posting = true;
    try {
      for (const due of this.#postings.filter(({ dueMs }) => dueMs <= nowMs)) {
        await world.shard.terminals.recordResult(posting(due.uuid, due.members));
        this.#postings.splice(this.#postings.indexOf(due), 1);
      }
    } catch (error) {
      if (!(error instanceof RelayError)) throw error;
    } finally {
      this.#posting = false;
    }
  }
}

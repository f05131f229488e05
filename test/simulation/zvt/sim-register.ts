import type { RegisterConnection, RegisterSocket } from "../../../http/zvt/connection.ts";
import { bytesOf, hexOf } from "../../http/zvt/bytes-of.ts";
import type { Random } from "../random.ts";
import type { SimNode } from "./sim-node.ts";

/** T3, and T4. */
const ACK_WITHIN_MS = 5_000;
const END_WITHIN_MS = 180_000;
/** A register that has had no answer for so long asks its cashier to look at the terminal: the relay keeps a result for it for a minute. */
const GIVE_UP_MS = 35_000;
/** A result that was acknowledged over a line that broke then may be kept for its register: the same amount is not owed again so soon. */
const AMOUNT_RESTS_MS = 240_000;

const ACK = "80 00 00";

/** One customer. `error`: the cashier is told to look at the terminal. */
export interface Sale {
  name: string;
  amountCents: number;
  belief: "paid" | "notPaid" | "error" | null;
}

/** A TCP connection of a register, which breaks after so many bytes of both directions, or stays half open. */
export class Line implements RegisterSocket {
  readonly id: string;
  readonly node: SimNode;
  /** Whose 06-01 went over it last. */
  sale: Sale | null = null;
  isGone = false;
  readonly #random: Random;
  #left: number;
  #connection: RegisterConnection | null = null;
  #toNode: Uint8Array[] = [];
  #toRegister: string[] = [];
  #ended = false;
  #noticedAtMs: number | null = null;

  constructor(id: string, node: SimNode, bytes: number, random: Random) {
    this.id = id;
    this.node = node;
    this.#left = bytes;
    this.#random = random;
  }

  open(address: string): void {
    this.#connection = this.node.accept(this.id, address, this);
  }

  write(bytes: Uint8Array): void {
    if (this.node.isUp) this.#toRegister.push(hexOf(bytes));
  }

  bufferedBytes(): number {
    return 0;
  }

  end(): void {
    if (this.node.isUp) this.#ended = true;
  }

  /** False where the line broke within it. */
  send(hex: string, nowMs: number): boolean {
    if (this.isGone) return false;
    const bytes = bytesOf(hex);
    this.#toNode.push(bytes.subarray(0, Math.max(0, this.#left)));
    return this.#spend(bytes.length, nowMs);
  }

  /** The register's side of it ends; the node notices then, later, or only by its own timers. */
  drop(nowMs: number): void {
    if (this.isGone) return;
    this.isGone = true;
    this.#noticedAtMs = this.#random.chance(0.15) ? Number.POSITIVE_INFINITY : nowMs + this.#random.between(0, 3_000);
  }

  /** What has come for the register. */
  received(nowMs: number): string[] {
    const frames: string[] = [];
    for (const hex of this.#toRegister.splice(0)) {
      if (this.isGone || !this.#spend((hex.length + 1) / 3, nowMs)) break;
      frames.push(hex);
    }
    if (!this.node.isUp || (this.#ended && frames.length === 0)) this.isGone = true;
    return frames;
  }

  /** What has come for the node. */
  step(nowMs: number): void {
    if (!this.node.isAwake) return;
    for (const bytes of this.#toNode.splice(0)) if (!this.#ended) this.#connection?.received(bytes);
    if (this.#noticedAtMs === null || nowMs < this.#noticedAtMs) return;
    this.#noticedAtMs = null;
    this.#connection?.step({ type: "closed", reason: "register" });
  }

  #spend(bytes: number, nowMs: number): boolean {
    this.#left -= bytes;
    if (this.#left >= 0) return true;
    this.drop(nowMs);
    return false;
  }
}

export interface RegisterSurroundings {
  random: Random;
  note(what: string): void;
  seen(what: string): void;
  /** A line to one of the nodes that take connections. */
  connect(bytes: number): Line | null;
}

/** A cash register: one sale after the other; what it does not hear the end of it sends again. */
export class SimRegister {
  readonly sales: Sale[] = [];
  isResting = false;
  readonly #name: string;
  readonly #address: string;
  readonly #amounts: readonly number[];
  readonly #on: RegisterSurroundings;
  readonly #usableAtMs = new Map<number, number>();
  #sale: Sale | null = null;
  #line: Line | null = null;
  #phase: "idle" | "registering" | "asked" | "accepted" | "told" = "idle";
  #deadlineMs = 0;
  #nextMs = 0;
  #contactMs = 0;
  #abortAtMs = Number.POSITIVE_INFINITY;
  #wasAccepted = false;
  #told: Sale["belief"] = null;

  constructor(name: string, address: string, amounts: readonly number[], on: RegisterSurroundings) {
    this.#name = name;
    this.#address = address;
    this.#amounts = amounts;
    this.#on = on;
  }

  get isIdle(): boolean {
    return this.#sale === null;
  }

  step(nowMs: number): void {
    const line = this.#line;
    if (line !== null) {
      for (const frame of line.received(nowMs)) if (this.#line === line) this.#read(line, frame, nowMs);
      if (line.isGone && this.#line === line) this.#lost(nowMs);
    }
    if (this.#sale === null) {
      if (this.isResting || nowMs < this.#nextMs) return;
      this.#begin(nowMs);
    }
    if (this.#phase === "idle") {
      if (nowMs >= this.#contactMs + GIVE_UP_MS) this.#end("error", nowMs, false);
      else if (nowMs >= this.#nextMs) this.#ask(nowMs);
      return;
    }
    if (this.#phase === "accepted" && nowMs >= this.#abortAtMs) {
      this.#abortAtMs = Number.POSITIVE_INFINITY;
      this.#on.note(`${this.#name} aborts`);
      this.#line?.send("06 B0 00", nowMs);
    }
    if (nowMs >= this.#deadlineMs) this.#timedOut(nowMs);
  }

  #begin(nowMs: number): void {
    const { random } = this.#on;
    const usable = this.#amounts.filter((amount) => nowMs >= (this.#usableAtMs.get(amount) ?? 0));
    const amountCents =
      usable.length > 0 && random.chance(0.8) ? random.pick(usable) : 100_000 * (1 + this.sales.length) + this.#amounts.length;
    this.#sale = { name: `${this.#name}.${this.sales.length + 1}`, amountCents, belief: null };
    this.sales.push(this.#sale);
    this.#contactMs = nowMs;
    this.#told = null;
    this.#wasAccepted = false;
    this.#abortAtMs = random.chance(0.2) ? nowMs + random.between(1_000, 20_000) : Number.POSITIVE_INFINITY;
    this.#phase = "idle";
  }

  #ask(nowMs: number): void {
    const { random, connect, note } = this.#on;
    const sale = this.#sale;
    if (sale === null) return;
    if (this.#line === null) {
      const line = connect(random.chance(0.45) ? random.between(1, 160) : Number.POSITIVE_INFINITY);
      if (line === null) {
        this.#nextMs = nowMs + random.between(500, 4_000);
        return;
      }
      line.open(this.#address);
      this.#line = line;
      if (random.chance(0.6)) {
        this.#phase = "registering";
        this.#deadlineMs = nowMs + ACK_WITHIN_MS;
        line.send(random.chance(0.5) ? "06 00 06 12 34 56 DE 09 78" : "06 00 06 12 34 56 86 09 78", nowMs);
        return;
      }
    }
    note(`${sale.name} asks for ${sale.amountCents} over ${this.#line.id} at ${this.#line.node.name}`);
    this.#phase = "asked";
    this.#deadlineMs = nowMs + ACK_WITHIN_MS;
    this.#line.sale = sale;
    const bcd = String(sale.amountCents).padStart(12, "0");
    this.#line.send(`06 01 0A 04 ${bcd} 49 09 78`, nowMs);
  }

  #read(line: Line, frame: string, nowMs: number): void {
    const kind = frame.slice(0, 5);
    if (kind === "80 00") {
      if (this.#phase === "asked") {
        this.#phase = "accepted";
        // That it was taken on again says nothing of the time that its result is kept.
        if (!this.#wasAccepted) this.#contactMs = nowMs;
        this.#wasAccepted = true;
        this.#deadlineMs = nowMs + END_WITHIN_MS;
      }
      return;
    }
    if (kind.startsWith("84")) {
      if (this.#phase !== "asked") return;
      this.#on.seen("busy");
      this.#phase = "idle";
      this.#nextMs = nowMs + this.#on.random.between(1_000, 6_000);
      if (this.#on.random.chance(0.5)) this.#hangUp(nowMs);
      return;
    }
    if (this.#phase === "registering") {
      line.send(ACK, nowMs);
      this.#phase = "idle";
      return;
    }
    const sent = line.send(ACK, nowMs);
    if (kind === "04 FF") {
      this.#contactMs = nowMs;
      this.#deadlineMs = nowMs + END_WITHIN_MS;
      return;
    }
    if (this.#phase !== "accepted" && this.#phase !== "told") return;
    this.#contactMs = nowMs;
    if (kind === "04 0F") {
      // It has heard and said so; were its acknowledgement lost, it would ask again.
      if (sent) {
        this.#told = frame.slice(12, 14) === "00" ? "paid" : "notPaid";
        this.#phase = "told";
      }
      return;
    }
    if (kind === "06 1E") this.#end("notPaid", nowMs, sent);
    if (kind === "06 0F") this.#end("paid", nowMs, sent);
  }

  #timedOut(nowMs: number): void {
    const { random, seen } = this.#on;
    if (this.#phase === "asked" && random.chance(0.5)) {
      seen("repeats beside its old connection");
      this.#line = null;
      this.#phase = "idle";
      this.#nextMs = nowMs;
      return;
    }
    this.#line?.drop(nowMs);
    this.#lost(nowMs);
  }

  #lost(nowMs: number): void {
    this.#line = null;
    if (this.#sale === null) return;
    if (this.#told !== null) {
      this.#end(this.#told, nowMs, false);
      return;
    }
    this.#phase = "idle";
    this.#nextMs = nowMs + this.#on.random.between(0, 6_000);
  }

  #hangUp(nowMs: number): void {
    this.#line?.drop(nowMs);
    this.#line = null;
  }

  #end(belief: "paid" | "notPaid" | "error", nowMs: number, isClean: boolean): void {
    const sale = this.#sale;
    if (sale === null) return;
    sale.belief = belief;
    this.#on.note(`${sale.name} of ${sale.amountCents} is ${belief}${isClean ? "" : ", uncertainly"}`);
    this.#on.seen(belief);
    if (!isClean) this.#usableAtMs.set(sale.amountCents, belief === "error" ? Number.POSITIVE_INFINITY : nowMs + AMOUNT_RESTS_MS);
    this.#sale = null;
    this.#phase = "idle";
    this.#nextMs = nowMs + this.#on.random.between(0, 8_000);
    if (this.#on.random.chance(0.4)) this.#hangUp(nowMs);
  }
}

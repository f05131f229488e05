import type { Caller } from "../../../engine/access/caller.ts";
import type { Behaviour, DeviceSpec, MishapSpec } from "../plan.ts";
import type { Random } from "../random.ts";
import type { Delivery } from "../witness.ts";
import type { SimHttp } from "../world/sim-http.ts";
import type { SimShard } from "../world/sim-shard.ts";
import type { World } from "../world/world.ts";
import { Execution, type Line, type Message } from "./execution.ts";
import { ResultPoster } from "./result-poster.ts";
import { type ServerFrame, StompClient } from "./stomp-client.ts";

export interface DeviceParts {
  world: World;
  http: SimHttp;
  spec: DeviceSpec;
  behaviourOf(uuid: string): Behaviour;
  /** Whether it has a right to this terminal's commands, by what was administered. */
  mayTake(terminalId: string): boolean;
}

const REFUSALS_MAX = 3;

/** A payment terminal: connects or polls, executes what comes as its behaviour says, and posts results until they are acknowledged. */
export class Device {
  readonly #parts: DeviceParts;
  readonly #poster: ResultPoster;
  readonly #random: Random;
  #client: StompClient | null = null;
  #connected = false;
  #subscriptions = new Map<string, string>();
  #connections = 0;
  #subscribed = 0;
  #abortsNextPoll = false;
  #refusals = 0;
  /** What came over the sessions that there are. */
  #held: Delivery[] = [];
  readonly #execution: Execution;

  constructor(parts: DeviceParts) {
    this.#parts = parts;
    this.#random = parts.world.randomOf(parts.spec.name);
    this.#poster = new ResultPoster(parts.world, parts.http, parts.spec, () => (this.#connected ? this.#client : null), this.caller);
    const { world, spec, behaviourOf } = parts;
    this.#execution = new Execution({ world, spec, random: this.#random, poster: this.#poster, behaviourOf });
  }

  get name(): string {
    return this.#parts.spec.name;
  }

  start(): void {
    const { world, spec } = this.#parts;
    world.scheduler.after(spec.beginsAtMs, null, () => {
      if (spec.topics.length > 0) this.#connect();
      if (spec.polls.length > 0) void this.#pollForEver();
    });
  }

  /** Who it is over HTTP, as the shard that it asks knows it. */
  readonly caller = (shard: SimShard): Caller => {
    const { login } = this.#parts.spec;
    if (login === null) return { type: "fleet" };
    const manages = shard.managedBy(login);
    return { type: "terminal", terminalId: login, ...(manages === null ? {} : { manages }) };
  };

  suffer(what: MishapSpec["what"]): void {
    const { world } = this.#parts;
    world.count(`device ${what}`);
    world.trace.note(this.name, what);
    switch (what) {
      case "closes":
        this.#hangUp();
        return;
      case "is cut":
        this.#client?.link.cut();
        return;
      case "takes nothing":
        this.#client?.link.fill();
        return;
      case "unsubscribes":
        this.#unsubscribe();
        return;
      case "aborts a poll":
        this.#abortsNextPoll = true;
    }
  }

  #connect(): void {
    const { world, http, spec } = this.#parts;
    this.#connections += 1;
    const connection = this.#connections;
    const isCurrent = () => connection === this.#connections;
    const client = StompClient.connect(world, http, `connection ${this.name}/${connection}`, spec.login, {
      connected: () => {
        if (!isCurrent()) return;
        this.#connected = true;
        this.#subscribe();
        this.#poster.connected();
      },
      frame: (frame) => this.#frame(connection, frame),
      closed: () => {
        if (isCurrent()) this.#gone();
      },
      dropped: (frame) => {
        if (frame.command === "MESSAGE") world.witness.unwritten.add(String(JSON.parse(frame.body).uuid));
      },
    });
    this.#client = client;
    if (client === null) world.scheduler.after(500, null, () => this.#connect());
  }

  #gone(): void {
    const { world } = this.#parts;
    this.#sessionsEnd();
    this.#client = null;
    this.#connected = false;
    this.#poster.disconnected();
    // Whoever is told that it may not gives it up in the end.
    if (this.#refusals < REFUSALS_MAX) world.scheduler.after(this.#random.between(100, 3_000), null, () => this.#connect());
  }

  #hangUp(): void {
    if (this.#client === null) return;
    this.#client.link.hangUp();
    this.#connections += 1;
    this.#gone();
  }

  /** The sessions of this connection are over. */
  #sessionsEnd(): void {
    const { world } = this.#parts;
    for (const delivery of this.#held) delivery.endedAtMs = world.scheduler.nowMs;
    this.#held = [];
  }

  #subscribe(): void {
    this.#subscriptions = new Map();
    for (const { terminalId, ack, redeliver } of this.#parts.spec.topics) {
      this.#subscribed += 1;
      const id = String(this.#subscribed);
      this.#subscriptions.set(id, terminalId);
      const more: [string, string][] = redeliver ? [["redeliver", "same-uuid"]] : [];
      this.#client?.send("SUBSCRIBE", [["id", id], ["destination", `/topic/terminal/${terminalId}`], ["ack", ack], ...more]);
    }
  }

  #unsubscribe(): void {
    const { world } = this.#parts;
    for (const id of this.#subscriptions.keys()) this.#client?.send("UNSUBSCRIBE", [["id", id]]);
    this.#subscriptions = new Map();
    this.#sessionsEnd();
    const connection = this.#connections;
    world.scheduler.after(this.#random.between(200, 4_000), null, () => {
      if (connection === this.#connections && this.#connected) this.#subscribe();
    });
  }

  #frame(connection: number, frame: ServerFrame): void {
    const { world, spec } = this.#parts;
    switch (frame.command) {
      case "MESSAGE": {
        const topic = (frame.headers.get("destination") ?? "").replace("/topic/terminal/", "");
        const subscription = spec.topics.find(({ terminalId }) => terminalId === topic);
        const ackId = frame.headers.get("ack") ?? null;
        const flagged = subscription?.ack === "client-individual" && subscription.redeliver;
        const session = `${this.name}/${connection}/${frame.headers.get("subscription")}`;
        const delivery = this.#received(JSON.parse(frame.body), topic, { session, flagged });
        this.#execution.take(delivery, JSON.parse(frame.body), this.#line(connection, ackId));
        return;
      }
      case "RECEIPT":
        this.#poster.receipt(frame.headers.get("receipt-id") ?? "");
        return;
      case "ERROR":
        world.trace.note(this.name, `is told ERROR ${frame.headers.get("code") ?? ""}`);
        if (frame.headers.get("code") === "forbidden") this.#refusals += 1;
        this.#poster.error(frame.headers.get("receipt-id") ?? "", frame.headers.get("code") ?? "");
    }
  }

  /** Remembers for the invariants that a command came. */
  #received(message: Message, topic: string, over: { session: string; flagged: boolean } | null): Delivery {
    const { world, spec, mayTake } = this.#parts;
    const { uuid, service, terminalId, attempt = 1 } = message;
    const delivery: Delivery = {
      uuid,
      terminalId: topic,
      device: this.name,
      channel: over === null ? "poll" : "websocket",
      session: over?.session ?? null,
      flagged: over?.flagged === true,
      declared: over?.flagged === true && spec.login === topic,
      attempt,
      atMs: world.scheduler.nowMs,
      endedAtMs: null,
      ackedAtMs: null,
      nackedAtMs: null,
      namedTerminalId: terminalId,
      amount: message.amount,
    };
    world.witness.deliveries.push(delivery);
    if (over !== null) this.#held.push(delivery);
    world.count(`delivered over ${delivery.channel}`);
    if (!mayTake(topic) || terminalId !== topic) world.witness.intrusions.push(`${this.name} got ${uuid} of ${terminalId}`);
    const how = over === null ? "by poll" : `over ${over.session}${delivery.declared ? ", declared" : delivery.flagged ? ", flagged" : ""}`;
    world.trace.note(this.name, `gets ${service} ${uuid}${attempt > 1 ? ` (attempt ${attempt})` : ""} of ${topic} ${how}`);
    return delivery;
  }

  /** The way back for one message; `ackId` is null where nothing is to be acknowledged. */
  #line(connection: number, ackId: string | null): Line {
    return {
      acknowledges: ackId !== null,
      settle: (command) => {
        if (connection !== this.#connections || this.#client === null || ackId === null) return false;
        this.#client.send(command, [["id", ackId]]);
        return true;
      },
      hangUpSoon: () => this.#hangUpSoon(connection),
    };
  }

  #hangUpSoon(connection: number): void {
    const { world } = this.#parts;
    world.scheduler.after(this.#random.between(0, 30), null, () => {
      if (connection !== this.#connections) return;
      world.trace.note(this.name, "closes");
      world.count("closed at a step");
      this.#hangUp();
    });
  }

  async #pollForEver(): Promise<void> {
    const { world, spec } = this.#parts;
    for (;;) {
      for (const terminalId of spec.polls) await this.#poll(terminalId);
      await world.sleep(Math.max(spec.pollEveryMs, world.scheduler.slowest));
    }
  }

  async #poll(terminalId: string): Promise<void> {
    const { world, http } = this.#parts;
    const aborts = this.#abortsNextPoll ? { abortsAfterMs: this.#random.between(2, 25) } : {};
    this.#abortsNextPoll = false;
    const answer = await http.request(
      `poll of ${terminalId} by ${this.name}`,
      async (shard) => {
        shard.mayPoll(this.caller(shard), terminalId);
        const taken = await shard.terminals.poll(terminalId, {});
        return taken === null ? null : { ...taken, notWritten: () => shard.terminals.notHandedOut(terminalId, taken) };
      },
      {
        ...aborts,
        // As the endpoint does with what could not be written.
        lost: (taken) => {
          if (taken === null) return;
          world.witness.given.add(taken.uuid);
          taken.notWritten();
        },
        unread: (taken) => {
          if (taken !== null) world.witness.unread.add(taken.uuid);
        },
      },
    );
    if (answer.type !== "answered" || answer.value === null) return;
    const message = JSON.parse(answer.value.text);
    const delivery = this.#received(message, terminalId, null);
    this.#execution.take(delivery, message, this.#line(this.#connections, null));
  }
}

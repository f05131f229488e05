import { type Headers, serializeFrame } from "../../../http/stomp/frame.ts";
import type { Random } from "../random.ts";
import { FLEET, passwordOf } from "../world/credentials.ts";
import type { SimHttp } from "../world/sim-http.ts";
import { type DeviceEnd, SimLink } from "../world/sim-link.ts";
import type { World } from "../world/world.ts";

/** A frame of the relay as a device reads it. */
export interface ServerFrame {
  command: string;
  headers: ReadonlyMap<string, string>;
  body: string;
}

/** Sends a line end this often, so that the relay does not take the device for gone. */
const HEART_BEAT_MS = 15_000;
const HEART_BEAT = "20000,20000";

/** What one connection of a device tells it. */
export interface ConnectionEvents {
  connected(): void;
  frame(frame: ServerFrame): void;
  closed(): void;
  /** The relay could not write this MESSAGE, by its own socket's word. */
  dropped(frame: ServerFrame): void;
}

/** A device's STOMP connection to whichever node listens. */
export class StompClient implements DeviceEnd {
  readonly #world: World;
  readonly #events: ConnectionEvents;
  readonly link: SimLink;

  /** Connects; null where no node listens. */
  static connect(world: World, http: SimHttp, name: string, login: string | null, events: ConnectionEvents): StompClient | null {
    const random = world.randomOf(name);
    const front = http.front(random);
    if (front === null) return null;
    const client = new StompClient(world, random, front.process, events);
    world.onDeath((process) => {
      if (process === front.process) client.link.broken();
    });
    world.scheduler.after(random.between(1, 10), front.process, () => {
      client.link.open(front.shard.mount);
      const [user, passcode] = login === null ? [FLEET.username, FLEET.password] : [login, passwordOf(login)];
      client.send("CONNECT", [
        ["accept-version", "1.2"],
        ["login", user],
        ["passcode", passcode],
        ["heart-beat", HEART_BEAT],
      ]);
    });
    client.#beat();
    return client;
  }

  private constructor(world: World, random: Random, server: SimLink["server"], events: ConnectionEvents) {
    this.#world = world;
    this.#events = events;
    this.link = new SimLink({
      scheduler: world.scheduler,
      random,
      server,
      device: this,
      dropped: (text) => {
        const frame = read(text);
        if (frame !== null) events.dropped(frame);
      },
    });
  }

  send(command: string, headers: Headers, body = ""): void {
    this.link.post(serializeFrame("1.2", command, headers, body));
  }

  received(text: string): void {
    const frame = read(text);
    if (frame === null) return;
    if (frame.command === "CONNECTED") this.#events.connected();
    else this.#events.frame(frame);
  }

  closed(): void {
    this.#events.closed();
  }

  #beat(): void {
    this.#world.scheduler.after(HEART_BEAT_MS, null, () => {
      if (this.link.closed) return;
      this.link.post("\n");
      this.#beat();
    });
  }
}

/** Null for a heart-beat. The relay escapes nothing of what it sends here. */
function read(text: string): ServerFrame | null {
  if (text === "\n") return null;
  const end = text.indexOf("\n\n");
  const [command = "", ...lines] = text.slice(0, end).split("\n");
  const headers = new Map(lines.map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]));
  return { command, headers, body: text.slice(end + 2, -1) };
}

import type { CommandState } from "../../engine/payments/command.ts";

/** A command as it came to a device. What happens to it afterwards is written into it. */
export interface Delivery {
  uuid: string;
  /** The terminal whose topic or queue it came from. */
  terminalId: string;
  device: string;
  channel: "websocket" | "poll";
  /** The connection and subscription it came over; null for a poll. */
  session: string | null;
  /** The subscription has `ack: client-individual` and `redeliver: same-uuid`. */
  flagged: boolean;
  /** `flagged`, and a session of the terminal's own login: only such ones may get again what they did not acknowledge. */
  declared: boolean;
  attempt: number;
  atMs: number;
  /** When the session that it came over ended, as the device knows it. */
  endedAtMs: number | null;
  ackedAtMs: number | null;
  nackedAtMs: number | null;
  /** For whom it was: what the message itself says. */
  namedTerminalId: string;
  amount: number;
}

/** A result that a device posted, once for each time that it tried. */
export interface Posting {
  uuid: string;
  /** The command's, where the posting writes it otherwise. */
  commandUuid: string;
  terminalId: string;
  device: string;
  content: string;
  postedAtMs: number;
  /** 200 or RECEIPT; null without. */
  acknowledgedAtMs: number | null;
}

/** A request to send a command, and its answer. */
export interface Sending {
  uuid: string;
  asker: string;
  terminalId: string;
  amount: number;
  askedAtMs: number;
  answeredAtMs: number | null;
  /** `none`: no answer came. Else the outcome, or the code of the error. */
  answer: string;
}

/** What somebody was told of a command. */
export interface Look {
  /** Of the command, as it was sent. */
  uuid: string;
  /** As the answer has it; null where it has none. */
  shown: string | null;
  asker: string;
  how: "life" | "uuid" | "latest" | "cancel";
  askedAtMs: number;
  answeredAtMs: number;
  /** `none`: it is not known, or not to this asker. */
  state: CommandState | "none";
  /** The result as text, where there is one. */
  content: string | null;
  /** How often it was sent, where that is told. */
  attempts: number | null;
}

/** All that devices and askers saw: what the invariants are judged by. */
export class Witness {
  readonly #nowMs: () => number;
  readonly deliveries: Delivery[] = [];
  readonly postings: Posting[] = [];
  readonly sendings: Sending[] = [];
  readonly looks: Look[] = [];
  /** Uuids that a device promised, by OK to a CANCEL, never to execute. */
  readonly renounced = new Set<string>();
  /** Uuids whose message or answer the relay certainly could not write, by its own socket's word. */
  readonly unwritten = new Set<string>();
  /** Uuids that a poll took whose asker had gone by then. */
  readonly given = new Set<string>();
  /** Uuids whose answer was written, and the asker went before it came. */
  readonly unread = new Set<string>();
  /** Commands that a device was let see and has no right to. */
  readonly intrusions: string[] = [];
  /** Failures that no promise covers. */
  readonly defects: string[] = [];
  /** When the store was taken back, and to what it was when; `knew`: the uuids that the copy or the feed had; `restarts`: no node lived meanwhile. */
  readonly restores: { atMs: number; copiedAtMs: number; knew: ReadonlySet<string>; restarts: boolean }[] = [];
  /** Requests that have no answer yet. */
  readonly open = new Map<number, { what: string; sinceMs: number }>();
  #opened = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get nowMs(): number {
    return this.#nowMs();
  }

  unexpected(what: string): void {
    this.defects.push(what);
  }

  /** Something was asked; answers with what is to be called when it is answered. */
  asked(what: string): () => void {
    this.#opened += 1;
    const number = this.#opened;
    this.open.set(number, { what, sinceMs: this.nowMs });
    return () => this.open.delete(number);
  }
}

import type { SubscriptionRule, TerminalRule } from "../../engine/access/terminal-rule.ts";

/** Everything that is settled before a history begins, as data: what is left out of it does not happen, by which a history is shrunk. */
export interface Plan {
  shape: Shape;
  terminals: string[];
  devices: DeviceSpec[];
  partners: PartnerSpec[];
  rules: SubscriptionRule[];
  /** Managers of a group of terminals; null for none. */
  group: { managers: string[]; members: string[] } | null;
  commands: CommandSpec[];
  mishaps: MishapSpec[];
  faults: FaultSpec[];
}

export interface Shape {
  seed: number;
  /** Of one seed there are as many histories as numbers here: the same plan on another network. */
  salt: number;
  /** Several nodes on a store of their own; else one node with files. */
  isCluster: boolean;
  nodes: number;
  shards: number;
  /** Of each machine's wall clock, milliseconds. */
  skewsMs: number[];
  /** How far apart ticks are while much happens: threads are busy. */
  tickMs: number;
  /** The history goes on until everything that was sent has long ended. */
  hasTail: boolean;
}

export type AckMode = "auto" | "client" | "client-individual";

export interface DeviceSpec {
  name: string;
  /** The terminal whose login it has; null: the fleet's. */
  login: string | null;
  topics: { terminalId: string; ack: AckMode; redeliver: boolean }[];
  polls: string[];
  pollEveryMs: number;
  beginsAtMs: number;
}

export interface PartnerSpec {
  name: string;
  id: number;
  rule: TerminalRule;
}

export interface Behaviour {
  /** What a session that acknowledges does first. */
  ack: "now" | "late" | "never" | "nack";
  result: "answers" | "never" | "late" | "twice" | "differently" | "other letters" | "declines";
  afterMs: number;
  via: "session" | "http";
  /** The device's connection ends right after this step. */
  closesAfter: "message" | "ack" | "result" | null;
  cancelAnswer: "honest" | "KO" | "never";
}

/** What a reader need not think about: what comes is acknowledged, and answered soon. */
export const PLAIN_BEHAVIOUR: Behaviour = {
  ack: "now",
  result: "answers",
  afterMs: 300,
  via: "http",
  closesAfter: null,
  cancelAnswer: "honest",
};

export interface CommandSpec {
  uuid: string;
  partner: string;
  terminalId: string;
  kind: "payment" | "scan" | "print" | "administrative";
  amount: number;
  atMs: number;
  behaviour: Behaviour;
  /** When its sender asks for it, and when somebody else does; milliseconds from its sending. */
  looksMs: number[];
  pryingMs: number[];
  cancelsMs: number[];
  /** The sender sends it once more, as a new request; null for not. */
  repeatsMs: number | null;
}

/** What befalls one device's connection. */
export interface MishapSpec {
  atMs: number;
  device: string;
  what: "closes" | "is cut" | "unsubscribes" | "takes nothing" | "aborts a poll";
}

export type FaultSpec = { atMs: number } & (
  | { type: "node crashes"; node: number; downMs: number }
  | { type: "all nodes crash"; downMs: number }
  | { type: "node leaves"; node: number; downMs: number }
  | { type: "node stops"; node: number; forMs: number }
  | { type: "membership expires"; node: number; forMs: number }
  | { type: "messages suffer"; forMs: number; dropped: number; delayed: number; repeated: number; refused: number; delayMsMax: number }
  | { type: "store is slow"; forMs: number; late: number; lateMsMax: number; answerLost: number }
  | { type: "store is held up"; forMs: number }
  | { type: "store is restored"; backMs: number; restarts: boolean }
  | { type: "clock steps"; node: number; byMs: number }
);

export type FaultType = FaultSpec["type"];

import type { CommandView, ResultPosting, TerminalView } from "../../engine/terminals/terminals.ts";
import type { NodeProtocol } from "../../infra/node/boot/node-protocol.ts";
import { ACCEPTED, AT_MS, PRESENCE, TRANSACTION, type Whole } from "./stored-examples.ts";

/** Only threads of one node exchange these messages, and they always have one version. */
type WithinNode =
  | `kv.${string}`
  | `shard.${string}`
  | `node.${string}`
  | "cluster.deliver"
  | "cluster.view"
  | "cluster.lapsed"
  | "cluster.look";

type BetweenNodes = Exclude<keyof NodeProtocol, WithinNode>;

type Examples = {
  readonly [kind in BetweenNodes]: {
    request: Whole<NodeProtocol[kind]["request"]>;
    /** One response of each possible form. */
    responses: readonly Whole<NodeProtocol[kind]["response"]>[];
  };
};

const { device } = PRESENCE;
const { terminalId: _, ...transaction } = TRANSACTION;

const POSTING: Whole<ResultPosting> = {
  terminalId: "T1",
  postedBy: "T1",
  result: {
    uuid: "paid-1",
    status: "OK",
    method: "CARD",
    amountCents: 1_234,
    amountIllegible: true,
    currency: "EUR",
    details: {
      merchantId: "M1",
      message: "approved",
      auth: TRANSACTION.auth,
      card: TRANSACTION.card,
      satispay: TRANSACTION.satispay,
      provider: TRANSACTION.provider,
      voucher: TRANSACTION.voucher,
      receipt: TRANSACTION.receipt,
      scan: TRANSACTION.scan,
      print: TRANSACTION.print,
    },
    raw: '{"result":"OK"}',
  },
};

const VIEW: Whole<CommandView> = {
  uuid: "paid-1",
  terminalId: "T1",
  command: ACCEPTED,
  state: "done",
  sentAtMs: AT_MS + 1_000,
  finishedAtMs: AT_MS + 3_000,
  channel: "poll",
  attempts: 1,
  cancelRequested: false,
  transaction: { ...transaction, terminalId: "T1" },
  amountDiffers: false,
};

const TERMINAL_VIEW: Whole<TerminalView> = {
  terminalId: "T1",
  connectionStatus: "ONLINE",
  connected: true,
  sessions: 1,
  connectionType: "WEBSOCKET",
  lastActivityMs: AT_MS,
  connectedSinceMs: AT_MS,
  lastSeenMs: AT_MS,
  server: "node-1",
  device,
  queued: 1,
  sent: 1,
};

/** The messages between nodes by kind. With another kind or member, this does not compile. */
export const MESSAGE_EXAMPLES: Examples = {
  "terminal.accept": {
    request: ACCEPTED,
    responses: [{ type: "accepted", state: "queued", neverSeen: true }, { type: "duplicate", state: "sent", sender: "partner:1" }, { type: "queue_full", bound: "any", retryAfterSeconds: 60 }],
  },
  "terminal.poll": {
    request: { terminalId: "T1", device, answerByMs: AT_MS },
    responses: [null, { uuid: "paid-1", text: "{}", sentAtMs: AT_MS }],
  },
  "terminal.undelivered": { request: { terminalId: "T1", uuid: "paid-1", sentAtMs: AT_MS }, responses: [undefined] },
  "terminal.polled": { request: [{ terminalId: "T1", device, agoMs: 5 }], responses: [undefined] },
  "terminal.result": { request: POSTING, responses: [{ type: "recorded" }, { type: "repeated" }, { type: "conflict" }] },
  "terminal.cancel": {
    request: { terminalId: "T1", uuid: "paid-1", cancelUuid: "cancel-1" },
    responses: [
      { type: "cancelled" },
      { type: "requested", cancelUuid: "cancel-1" },
      { type: "too_late", state: "done" },
      { type: "not_found" },
    ],
  },
  "terminal.command": { request: { terminalId: "T1", uuid: "paid-1", waitMs: 0 }, responses: [null, VIEW] },
  "terminal.latest": { request: { terminalId: "T1", sender: "partner:1", waitMs: 0 }, responses: [null, VIEW] },
  "terminal.view": { request: { terminalId: "T1", sure: true, forwarded: true }, responses: [TERMINAL_VIEW] },
  "terminal.disconnect": { request: { terminalId: "T1" }, responses: [undefined] },
  "terminal.flush": { request: undefined, responses: [undefined] },
  "terminal.forget": { request: undefined, responses: [undefined] },
  "terminal.waiting": { request: { terminalId: "T1" }, responses: [undefined] },
  "terminal.work": { request: { terminalId: "T1" }, responses: [undefined] },
  "session.open": {
    request: { terminalId: "T1", sessionId: "s-1", own: true, acknowledges: true, redeliver: true, device, openedAtMs: AT_MS, agoMs: 5 },
    responses: [undefined],
  },
  "session.again": { request: { round: 1, forgotten: true, shards: ["node-1#1/shard-0"] }, responses: [true, false] },
  "session.close": { request: { terminalId: "T1", sessionId: "s-1" }, responses: [undefined] },
  "session.active": { request: [{ terminalId: "T1", sessionId: "s-1", agoMs: 5 }], responses: [undefined] },
  "session.acknowledge": { request: { terminalId: "T1", sessionId: "s-1", uuids: ["paid-1"] }, responses: [undefined] },
  "session.refuse": { request: { terminalId: "T1", sessionId: "s-1", uuids: ["paid-1"], number: 1 }, responses: [undefined] },
  "session.deliver": { request: { terminalId: "T1", sessionId: "s-1", uuid: "paid-1", text: "{}" }, responses: [true, false] },
  "session.broadcast": { request: { terminalId: null, text: "{}" }, responses: [1] },
  "table.changed": { request: { table: "apps" }, responses: [undefined] },
  "overview.counts": { request: undefined, responses: [{ websocket: 1, polling: 1, queued: 1, sent: 1 }] },
  "cluster.drain": { request: { allowLast: true }, responses: [undefined] },
  "cluster.report": {
    request: undefined,
    responses: [
      {
        terminals: 1,
        sessions: 1,
        commandsQueued: 1,
        commandsSent: 1,
        conflicts: 1,
        lapses: 1,
        stream: { waiting: 1, delayMs: 1, lost: 1 },
      },
    ],
  },
  "zvt.node": {
    request: undefined,
    responses: [
      {
        listener: { nodeId: "node-1", ports: [40_007], problem: null },
        connections: [{ nodeId: "node-1", routeId: "till-1", address: "10.1.2.3", sinceMs: 1 }],
      },
    ],
  },
};

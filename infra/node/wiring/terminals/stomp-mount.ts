import type { Caller } from "../../../../engine/access/caller.ts";
import type { Directory } from "../../../../engine/access/directory.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import { countMembers, mayRepeatMembers } from "../../../../engine/kernel/json-members.ts";
import { wellFormedJson, withoutByteOrderMark } from "../../../../engine/kernel/well-formed.ts";
import { contradictedMember } from "../../../../engine/payments/contradicted-member.ts";
import type { TerminalSessions } from "../../../../engine/sessions/terminal-sessions.ts";
import type { RecordResult } from "../../../../engine/terminals/record-result.ts";
import type { Authenticator } from "../../../../http/auth/authenticator.ts";
import type { Refusal } from "../../../../http/auth/credential-source.ts";
import { JSON_DEPTH_MAX } from "../../../../http/endpoint/json-body.ts";
import { unreadPosting } from "../../../../http/endpoint/unread-body.ts";
import type { SocketsPerAddress } from "../../../../http/server/sockets-per-address.ts";
import type { WebSocketMount } from "../../../../http/server/websocket.ts";
import type { StompEvent, StompHost, UpgradeCaller } from "../../../../http/stomp/host.ts";
import { WEBSOCKET_MESSAGE_BYTES_MAX } from "../../../../http/stomp/limits.ts";
import { createStompSessions, type StompSessions } from "../../../../http/stomp/sessions.ts";

/**
 * A slow terminal is disconnected at this number of unread bytes, several times its largest burst
 * of commands.
 */
const BUFFERED_BYTES_MAX = 524_288;

/**
 * A silent socket gets a ping early enough for its pong to arrive within the two minutes after
 * which a terminal is OFFLINE. A socket without a pong is dead, and is closed before it gets
 * another payment. With pongs it may stay silent indefinitely.
 */
const IDLE_SECONDS = 60;

/** Limits the WebSockets of a shard. On some machines a process has at most 20,000 descriptors. */
const SOCKETS_MAX = 15_000;

export interface StompMountOptions {
  anonymousAllowed: boolean;
  serverName: string;
  sessions: TerminalSessions;
  directory: Pick<Directory, "mayTake">;
  /** Returns the first notice on a terminal's own topic, or null. */
  greeting(terminalId: string): string | null;
  authenticator: Authenticator;
  recordResult: RecordResult;
  /** If absent, the only limit of an address is the total limit of sockets. */
  perAddress?: SocketsPerAddress;
  clock: Clock;
  ids: Ids;
  onEvent(event: StompEvent): void;
}

/**
 * STOMP at `/ws`. Connects the sessions of the protocol with the WebSockets of the server and with
 * the engine.
 */
export function createStompMount(options: StompMountOptions): { mount: WebSocketMount; stomp: StompSessions } {
  const { authenticator, directory, recordResult } = options;

  function authenticate(authorization: string, ipAddress: string): Caller | Refusal | Promise<Caller | Refusal> {
    return authenticator.authenticate("basic", { authorization, apiKey: "", origin: "", cookie: "", ipAddress });
  }

  const host: StompHost = {
    terminals: options.sessions,
    clock: options.clock,
    ids: options.ids,
    serverName: options.serverName,
    anonymousAllowed: options.anonymousAllowed,
    authenticate: async (login, passcode, ipAddress) => {
      const header = `Basic ${Buffer.from(`${login}:${passcode}`, "utf8").toString("base64")}`;
      const found = callerOf(await authenticate(header, ipAddress));
      if (!(found instanceof RelayError)) return found;
      // A login that cannot be checked now, or that is blocked, is not wrong, so the terminal
      // should retry.
      if (found.code !== "unauthorized") throw found;
      return null;
    },
    mayTake: directory.mayTake,
    greeting: options.greeting,
    recordResult: async ({ identity, terminalId, bodyText }) => {
      const body = jsonOf(bodyText);
      if (body.type === "read") return recordResult.bySession(identity, terminalId, body.value);
      const { reason } = body;
      const unread = { bytes: Buffer.from(bodyText), isWhole: true, contentType: "", reason };
      await recordResult.unreadBySession(terminalId, unreadPosting(unread));
      throw new RelayError("invalid_request", reason);
    },
    keepUnread: ({ terminalId, bytes, isWhole, reason }) =>
      recordResult.unreadBySession(terminalId, unreadPosting({ bytes: Buffer.from(bytes), isWhole, contentType: "", reason })),
    onEvent: options.onEvent,
  };
  const stomp = createStompSessions(host);

  const mount: WebSocketMount = {
    path: "/ws",
    protocols: ["v12.stomp", "v11.stomp", "v10.stomp"],
    messageBytesMax: WEBSOCKET_MESSAGE_BYTES_MAX,
    bufferedBytesMax: BUFFERED_BYTES_MAX,
    idleSeconds: IDLE_SECONDS,
    socketsMax: SOCKETS_MAX,
    ...(options.perAddress === undefined ? {} : { perAddress: options.perAddress }),
    open: (socket, upgrade) => {
      const { authorization, ipAddress, userAgent } = upgrade;
      const found = authorization === "" ? null : authenticate(authorization, ipAddress);
      const caller = found instanceof Promise ? found.then(callerOf, unexpected) : found === null ? null : callerOf(found);
      return stomp.open(socket, { ipAddress, userAgent, caller });
    },
  };
  return { mount, stomp };
}

function callerOf(found: Caller | Refusal): UpgradeCaller {
  return found.type === "refused" ? new RelayError(found.code, found.message, found) : found;
}

/** Never rejects, because possibly no code awaits the caller of an upgrade. */
function unexpected(cause: unknown): RelayError {
  return new RelayError("internal", "Internal error", { cause });
}

function jsonOf(text: string): { type: "read"; value: unknown } | { type: "unread"; reason: string } {
  const json = wellFormedJson(withoutByteOrderMark(text));
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return { type: "unread", reason: "the body is not JSON" };
  }
  const twice = mayRepeatMembers(json, countMembers(value, JSON_DEPTH_MAX)) ? contradictedMember(json) : null;
  return twice === null ? { type: "read", value } : { type: "unread", reason: `${twice}: is given more than once` };
}

import { isatty } from "node:tty";
import pino from "pino";
import type { ZvtLoggingLevel } from "../../../engine/zvt/zvt-config.ts";
import type { StompEvent } from "../../../http/stomp/host.ts";
import type { EmbeddedClickHouseEvent } from "../../../storage/clickhouse/embedded/supervisor.ts";
import type { Service } from "./failure-facts.ts";
import { createFailureLog, type ServiceAddresses } from "./failure-log.ts";
import { createPeerLines, type Repeated } from "./peer-lines.ts";
import { readableLine } from "./readable-line.ts";
import { shownError } from "./shown-error.ts";

/** The log of a node: one function per event, structured. No function takes a body, a header, a credential or a payload. */
export interface Log {
  /** Of this thread, for everything that is logged from now on. */
  setLevel(level: string): void;
  starting(facts: { version: string; mode: string; shards: number; dataDirectory: string; node: string }): void;
  /** The loaded HTTP library, its limitations, and why a newer one was not loaded. */
  httpLibrary(facts: { packageName: string; lacks: readonly string[]; instead: string | null }): void;
  listening(facts: { url: string }): void;
  /** Links, mails and passkeys are of the listener's address, which nobody outside may reach. */
  publicUrlMissing(url: string): void;
  metricsListening(facts: { url: string }): void;
  /** The start waits for Redis. */
  storeAwaited(reason: string): void;
  /** Redis kept the start waiting; the node starts anew in a moment. */
  startsAgain(reason: string): void;
  /** The configuration was read again. `restartFor`: variables with a new value that only a restart takes over. */
  reloaded(facts: { certificateChanged: boolean; certificateValidUntil: string | null; restartFor: readonly string[] }): void;
  /** Nothing has changed, or what `reason` does not name; it quotes no secret. */
  reloadFailed(reason: string): void;
  stopping(signal: string): void;
  stopped(facts: { unfinished: number }): void;
  generatedPassword(username: string): void;
  sharedCredential(): void;
  /** New partners may use every terminal. */
  partnersUseAny(): void;
  secretsRenewed(records: number): void;
  /** The store was taken back to an earlier copy of itself (infra/node/process/restored.ts). */
  storeRestored(facts: { certain: boolean; lostFromMs: number; lostUntilMs: number }): void;
  /** Redis has lost acknowledged commits while the node runs, or has another history. */
  commitsLost(facts: { certain: boolean; lostFromMs: number; lostUntilMs: number }): void;
  /** A setting with which Redis could lose acknowledged commits. `refused`: the relay does not use it. */
  redisProblem(problem: string, refused: boolean): void;
  /** Data was loaded back into it; `reached` false: there was nothing to load it from. */
  takenBack(facts: { records: number; reached: boolean; complete: boolean }): void;
  /** The witness file could not be written. */
  witnessFailed(error: unknown): void;
  requestFailed(error: unknown, request: { id: string; endpoint: string }): void;
  rateLimitTableFull(endpoint: string): void;
  webSocketRefused(bound: string): void;
  /**
   * Too many wrong passwords: further logins are refused for a while. `account` is null where there is no account of the name that was tried;
   * what was tried is never logged.
   */
  loginsHeldBack(facts: { by: string; account: string | null; address: string; forMs: number }): void;
  engineFailed(what: string, error: unknown): void;
  storeFailed(error: unknown): void;
  busFailed(error: unknown, context: { kind: string; from: string }): void;
  clickhouse(event: string, error?: unknown): void;
  /** Of the ClickHouse that runs beside this node. */
  embeddedClickHouse(event: EmbeddedClickHouseEvent): void;
  feed(event: string, error?: unknown): void;
  /** The logs of merchants cannot be written, or can be again. */
  activityLog(event: "away" | "back", error?: unknown): void;
  /** Merchants have their rows of before an upgrade in their lists. */
  merchantRowsFilled(facts: { terminals: number; months: number }): void;
  /** ClickHouse has merchants' links, refunds, disputes, alerts, subscriptions and charges that were there before they were fed. */
  merchantThingsFilled(facts: { rows: number; leftOut: number }): void;
  /** ClickHouse has the rows of the time in which the node ran without analytics. */
  feedGapFilled(facts: { sinceMs: number; rows: number; refused: number }): void;
  /** A row is missing in ClickHouse until `npm run rebuild-analytics`; `reason` quotes nothing of it. */
  rowRefused(facts: {
    rowType: string;
    uuid: string | null;
    terminalId: string;
    reason: string;
    /** The message in Kafka, if it was refused there. */
    partition?: number;
    offset?: string;
  }): void;
  cluster(event: string, error?: unknown): void;
  /** Another live node has the same RELAY_NODE_ID. */
  sameNodeId(incarnation: string): void;
  /** Another node has other values of these variables. */
  settingsDiffer(nodeId: string, variables: readonly string[]): void;
  /** This machine's clock and Redis's are too far apart, or no longer. */
  clockOff(off: boolean, offsetMs: number): void;
  stomp(event: StompEvent): void;
  terminalSimulated(event: string): void;
  gatewaySimulated(event: string): void;
  /** A service that the sandbox runs beside the relay did not start in time; the node is ready without it. */
  companionMissing(what: string): void;
  gatewayDied(exit: string, reason: string): void;
  gatewayCircuit(state: "open" | "closed"): void;
  callback(event: { type: "delivered" | "failed" | "dead"; id: string; attempts: number; reason: string | null }): void;
  /** The id names the event and its endpoint, not its address. */
  webhook(event: { type: "delivered" | "failed" | "dead" | "canceled"; id: string; attempts: number; reason: string | null }): void;
  /** The id is random and names nobody. */
  mail(event: { type: "sent" | "failed" | "refused" | "expired"; id: string; kind: string; attempts: number; reason: string | null }): void;
  webhookEndpointDisabled(endpoint: { id: string; reason: string | null }): void;
  zvtListening(facts: { host: string; ports: readonly number[] }): void;
  zvtNotListening(problem: string): void;
  /**
   * At the level that is configured for the listener, whatever RELAY_LOG_LEVEL is. Card data and passwords are blanked before. What a peer repeats is counted
   * (peer-lines.ts).
   */
  zvt(level: ZvtLoggingLevel, event: ZvtLogEvent): void;
  crashed(where: string, error: unknown): void;
}

export type ZvtLogEvent =
  | { type: "connected"; connection: string; address: string }
  | { type: "closed"; connection: string; address: string; routeId: string | null; reason: string; refusals: number }
  | { type: "refused"; address: string; reason: string }
  | { type: "payment ended"; outcome: string; durationMs: number }
  | { type: "frame"; connection: string; direction: "in" | "out"; text: string };

const ZVT_LEVELS = { DEBUG: 0, INFO: 1, WARN: 2, ERROR: 3 } as const satisfies Record<ZvtLoggingLevel, number>;

/** Frames are logged only where that is configured. */
const ZVT_EVENT_LEVELS = {
  connected: "DEBUG",
  closed: "INFO",
  refused: "WARN",
  "payment ended": "INFO",
  frame: "INFO",
} as const satisfies Record<ZvtLogEvent["type"], ZvtLoggingLevel>;

/** What a line that ClickHouse prints reports: where, and by which code. Null where it reports no error; its text is left out, since it may quote a row. */
function reportOf(line: string): string | null {
  const [, component] = /<(?:Error|Critical|Fatal)>\s+([\w:]{1,80})/.exec(line) ?? [];
  const [, code] = /\bCode: (\d{1,5})\b/.exec(line) ?? [];
  if (component === undefined && code === undefined) return null;
  return `an error is reported${component === undefined ? "" : ` in ${component.replace(/:$/, "")}`}${code === undefined ? "" : `, code ${code}`}`;
}

const STANDARD_OUTPUT = 1;

/** JSON for programs, and lines for people where standard output is a terminal. */
function destination(): pino.DestinationStream {
  const output = pino.destination({ fd: STANDARD_OUTPUT, sync: true });
  if (!isatty(STANDARD_OUTPUT)) return output;
  const coloured = (process.env["NO_COLOR"] ?? "") === "";
  return { write: (line) => output.write(readableLine(line, { coloured })) };
}

/** `addresses`: of the services that the node uses, for failures that do not name them. */
export function createLog(level: string, thread: string, nowMs: () => number, addresses: ServiceAddresses = {}): Log {
  const format = { level, base: { thread }, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err: shownError } };
  const logger = pino(format, destination());
  // Of its own level: the events of a register are wanted where the rest of the relay is quiet, or the other way round.
  const zvt = logger.child({}, { level: "debug" });
  const ofPeers = createPeerLines(nowMs, (lines) =>
    logger.warn({ event: "lines left out", lines }, "so many connections were refused that some have no log line"),
  );
  const failed = createFailureLog({ logger, addresses, nowMs });
  const failure = (event: string, key: string, error: unknown, facts: object = {}, service?: Service): void =>
    failed({ event, key, error, facts, ...(service === undefined ? {} : { service }) });

  return {
    setLevel: (next) => {
      logger.level = next;
    },
    starting: (facts) => logger.info({ event: "starting", ...facts }, `Terminal Relay ${facts.version} is starting`),
    httpLibrary: ({ packageName, lacks, instead }) => {
      const event = { event: "http library", packageName };
      if (lacks.length === 0) logger.info(event, "http library");
      else
        logger.warn(
          event,
          `the older HTTP library is used${instead === null ? "" : `, because the newer one cannot be loaded (${instead})`}: ${lacks.join("; ")}`,
        );
    },
    listening: (facts) => logger.info({ event: "listening", ...facts }, "listening"),
    publicUrlMissing: (url) =>
      logger.warn(
        { event: "public URL missing", url },
        `RELAY_PUBLIC_URL is not set: payment links, the portal's mails and passkeys use ${url}`,
      ),
    metricsListening: (facts) => logger.info({ event: "metrics listening", ...facts }, "metrics listening"),
    storeAwaited: (reason) => logger.warn({ event: "waits for Redis", reason }, "the start waits for Redis, for at most a minute"),
    startsAgain: (reason) => logger.warn({ event: "starts again", reason }, "Redis delayed the start; the node starts again"),
    reloaded: ({ restartFor, ...facts }) => {
      const event = { event: "reloaded", ...facts, restartFor };
      if (restartFor.length === 0) logger.info(event, "the configuration was read again");
      else logger.warn(event, `the configuration was read again; restart the node to apply ${restartFor.join(", ")}`);
    },
    reloadFailed: (reason) =>
      logger.error({ event: "reload failed", reason }, "the configuration could not be applied; the node continues with the previous one"),
    stopping: (signal) => logger.info({ event: "stopping", signal }, "stopping"),
    stopped: (facts) => logger.info({ event: "stopped", ...facts }, "stopped"),
    generatedPassword: (username) =>
      logger.warn({ event: "password generated", username }, "the relay generated an administrator password"),
    sharedCredential: () =>
      logger.warn(
        { event: "shared credential" },
        "terminals share one credential, so a lost terminal can act as any other; use derived passwords instead",
      ),
    partnersUseAny: () =>
      logger.warn(
        { event: "partners use any terminal" },
        "a new partner may send to every terminal until its rule is set; set RELAY_PARTNER_DEFAULT_RULE=none to permit none",
      ),
    secretsRenewed: (records) => logger.info({ event: "secrets renewed", records }, "stored secrets were encrypted with the new key"),
    storeRestored: ({ certain, lostFromMs, lostUntilMs }) => {
      const [lostFrom, lostUntil] = [new Date(lostFromMs).toISOString(), new Date(lostUntilMs).toISOString()];
      const what = certain ? "the store was replaced by an earlier copy" : "the store may have been replaced by an earlier copy";
      logger.error(
        { event: "store restored", certain, lostFrom, lostUntil },
        `${what}: commands that were accepted or sent between ${lostFrom} and ${lostUntil} may be missing; commands that are waiting in it end as unknown`,
      );
    },
    commitsLost: ({ certain, lostFromMs, lostUntilMs }) => {
      const [lostFrom, lostUntil] = [new Date(lostFromMs).toISOString(), new Date(lostUntilMs).toISOString()];
      const what = certain ? "Redis has lost acknowledged commits" : "Redis may have lost acknowledged commits";
      logger.error(
        { event: "commits lost", certain, lostFrom, lostUntil },
        `${what}: commands that were accepted or sent between ${lostFrom} and ${lostUntil} may be missing; commands that were waiting end as unknown`,
      );
    },
    redisProblem: (problem, refused) => {
      const facts = { event: "redis problem", problem, refused };
      if (refused) logger.error(facts, `this node does not use Redis: ${problem}`);
      else logger.warn(facts, `Redis could lose acknowledged commits: ${problem}`);
    },
    takenBack: ({ records, reached, complete }) => {
      const facts = { event: "taken back", records, complete };
      if (!reached) logger.error(facts, "the missing data cannot be loaded from anywhere");
      else if (complete) logger.warn(facts, `${records} commands and results were loaded from ClickHouse into the store`);
      else logger.error(facts, `${records} commands and results were loaded into the store; data that is only in Kafka could not be read`);
    },
    witnessFailed: (error) => failure("witness failed", "", error),
    requestFailed: (error, request) => failure("request failed", request.endpoint, error, request),
    rateLimitTableFull: (endpoint) => failure("rate limit table full", endpoint, undefined, { endpoint }),
    webSocketRefused: (bound) => failure("websocket refused", bound, undefined, { bound }),
    loginsHeldBack: ({ by, account, address, forMs }) => {
      const facts = { event: "logins held back", by, account, address, seconds: Math.ceil(forMs / 1_000) };
      ofPeers(`${facts.event} ${by} ${account} ${address}`, (repeated) =>
        logger.warn({ ...facts, ...repeated }, "too many wrong passwords: the relay checks no passwords for a while"),
      );
    },
    engineFailed: (what, error) => failure("engine failed", what, error, { what }),
    storeFailed: (error) => failure("store failed", "", error, {}, "store"),
    busFailed: (error, context) => failure("bus failed", context.kind, error, context),
    clickhouse: (event, error) =>
      error === undefined
        ? logger.info({ event: `clickhouse ${event}` }, `clickhouse ${event}`)
        : failure("clickhouse", event, error, { what: event }, "clickhouse"),
    embeddedClickHouse: (event) => {
      if (event.type === "started") logger.info({ event: "clickhouse started", port: event.port }, "ClickHouse has started");
      else if (event.type === "died")
        logger.warn({ event: "clickhouse died", exit: event.exit }, "the ClickHouse process ended and is being restarted");
      else if (event.type === "start_failed")
        logger.warn(
          { event: "clickhouse start failed", reason: event.reason },
          `ClickHouse did not start and is being restarted: ${event.reason}`,
        );
      else {
        const reported = reportOf(event.line);
        if (reported !== null) failure("clickhouse output", reported, new Error(reported), {}, "clickhouse");
      }
    },
    feed: (event, error) =>
      error === undefined
        ? logger.info({ event: `feed ${event}` }, `feed ${event}`)
        : failure("feed", event, error, { what: event }, "clickhouse"),
    activityLog: (event, error) =>
      error === undefined
        ? logger.info({ event: `activity log ${event}` }, "merchants' logs are being written again")
        : failure("activity log", event, error, { what: event }, "clickhouse"),
    merchantRowsFilled: ({ terminals, months }) =>
      logger.info({ event: "merchant rows filled", terminals, months }, "merchants' lists now contain their rows from before the upgrade"),
    merchantThingsFilled: ({ rows, leftOut }) =>
      logger.info({ event: "merchant things filled", rows, leftOut }, "reports now contain merchants' objects from before the upgrade"),
    feedGapFilled: ({ sinceMs, rows, refused }) =>
      logger.info({ event: "feed gap filled", sinceMs, rows, refused }, "ClickHouse now contains what was stored while analytics were off"),
    // Every row is logged, however many there are: operators search for the uuid.
    rowRefused: ({ rowType, uuid, terminalId, reason, partition, offset }) =>
      logger.error(
        { event: "feed row refused", rowType, uuid, terminalId, reason, partition, offset },
        "ClickHouse or Kafka refused a row; it is set aside, and npm run rebuild-analytics sends it again",
      ),
    cluster: (event, error) =>
      error === undefined
        ? logger.info({ event: "cluster", what: event }, event)
        : failure("cluster", event, error, { what: event }, "store"),
    sameNodeId: (incarnation) =>
      logger.warn(
        { event: "same node id", incarnation },
        "another live node has the same RELAY_NODE_ID: the two cannot be distinguished, and one of them cannot be the home of terminals; give each node its own id",
      ),
    settingsDiffer: (nodeId, variables) =>
      logger.warn(
        { event: "settings differ", nodeId, variables },
        `the settings of node ${nodeId} differ from this node's: ${variables.join(", ")}`,
      ),
    clockOff: (off, offsetMs) => {
      const facts = { event: "clock", offsetSeconds: Math.round(offsetMs / 1_000) };
      if (off)
        logger.warn(
          facts,
          "the clocks of this machine and Redis differ: at more than 300 s, signed requests to and from this node are rejected",
        );
      else logger.info(facts, "the clocks of this machine and Redis agree again");
    },
    stomp: (event) => {
      if (event.type !== "refused") logger.debug({ ...event, event: `stomp ${event.type}` }, `stomp ${event.type}`);
      else if (event.cause !== undefined) failure("stomp failed", event.code, event.cause, { sessionId: event.sessionId });
      else
        ofPeers(`stomp refused ${event.code}`, (repeated) =>
          logger.debug({ event: "stomp refused", sessionId: event.sessionId, code: event.code, ...repeated }, "stomp refused"),
        );
    },
    terminalSimulated: (event) => logger.debug({ event: "simulated terminal", what: event }, "simulated terminal"),
    gatewaySimulated: (event) => logger.debug({ event: "sandbox gateway", what: event }, "sandbox gateway"),
    companionMissing: (what) => logger.warn({ event: "companion missing", what }, `the sandbox's ${what} is not ready yet`),
    gatewayDied: (exit, reason) =>
      logger.warn({ event: "sandbox gateway ended", exit, reason }, "the sandbox gateway exited and is being restarted"),
    gatewayCircuit: (state) =>
      state === "open"
        ? logger.warn({ event: "gateway away" }, "calls to the card gateway fail; the circuit breaker is open")
        : logger.info({ event: "gateway back" }, "the card gateway responds again; the circuit breaker is closed"),
    callback: ({ type, ...facts }) => {
      const event = { event: `callback ${type}`, ...facts };
      if (type === "dead") logger.warn(event, "all attempts to deliver a callback failed; see GET /admin/callbacks");
      else logger.debug(event, event.event);
    },
    webhook: ({ type, ...facts }) => {
      const event = { event: `webhook ${type}`, ...facts };
      if (type === "dead") logger.warn(event, "all attempts to deliver a webhook failed; see GET /admin/webhooks/deliveries");
      else logger.debug(event, event.event);
    },
    mail: ({ type, ...facts }) => {
      const event = { event: `mail ${type}`, ...facts };
      if (type === "refused") logger.warn(event, "the mail server refused a mail permanently: the address does not exist");
      else if (type === "expired") logger.warn(event, "a mail could not be sent while it was still useful");
      else if (type === "failed") logger.warn(event, "a mail could not be sent; the relay will try again");
      else logger.debug(event, event.event);
    },
    webhookEndpointDisabled: (endpoint) =>
      logger.warn(
        { event: "webhook endpoint disabled", ...endpoint },
        "a webhook endpoint was disabled, because it is gone or has failed for too long",
      ),
    zvtListening: (facts) => logger.info({ event: "zvt listening", ...facts }, "cash registers can connect"),
    zvtNotListening: (problem) =>
      logger.warn({ event: "zvt not listening", problem }, `cash registers cannot connect to this node: ${problem}`),
    zvt: (level, { type, ...facts }) => {
      if (ZVT_LEVELS[level] > ZVT_LEVELS[ZVT_EVENT_LEVELS[type]]) return;
      const write = (repeated: Repeated = {}) => {
        const event = { event: `zvt ${type}`, ...facts, ...repeated };
        if (ZVT_EVENT_LEVELS[type] === "DEBUG") zvt.debug(event, event.event);
        else if (ZVT_EVENT_LEVELS[type] === "INFO") zvt.info(event, event.event);
        else zvt.warn(event, event.event);
      };
      // A payment has a customer at its terminal, and frames are logged only for who looks for a fault.
      if (!("address" in facts)) write();
      else ofPeers(`zvt ${type} ${facts.address} ${"reason" in facts ? facts.reason : ""}`, write);
    },
    crashed: (where, error) => logger.fatal({ event: "crashed", where, err: error }, "crashed"),
  };
}

import type { Clock } from "../kernel/clock.ts";
import { createRecent } from "../kernel/recent.ts";
import type { CloudConfig } from "../settings/cloud-config.ts";
import type { Terminals, TerminalView } from "../terminals/terminals.ts";
import type { FLEET_CONNECTIONS, FLEET_SEEN } from "./words.ts";

/** Terminals that are looked through. Beyond it the first ones by id are. */
export const FLEET_TERMINALS_MAX = 20_000;

/** Terminals that are asked for at once, so that no home's mailbox fills. */
const PAGE = 500;

/** Several pages look every 5 s, and share a look. */
const RECENT_MS = 4_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface FleetTerminal {
  readonly view: TerminalView;
  readonly merchantId: string | null;
  readonly group: string | null;
  readonly denied: boolean;
}

export interface FleetFilter {
  /** The beginning of the id. */
  readonly q?: string | undefined;
  readonly version?: string | undefined;
  readonly model?: string | undefined;
  readonly merchantId?: string | undefined;
  readonly group?: string | undefined;
  readonly connection?: (typeof FLEET_CONNECTIONS)[number] | undefined;
  readonly seen?: (typeof FLEET_SEEN)[number] | undefined;
}

export interface FleetLook {
  /** By id. */
  readonly terminals: readonly FleetTerminal[];
  /** False: there are more than FLEET_TERMINALS_MAX. */
  readonly isComplete: boolean;
}

/** The terminals that were ever seen, as they were within the last seconds. Rejects with RelayError `unavailable`. */
export interface Fleet {
  all(): Promise<FleetLook>;
  matching(filter: FleetFilter): Promise<FleetLook>;
  /** One terminal as it is now. */
  terminal(terminalId: string): Promise<FleetTerminal>;
}

export interface FleetOptions {
  terminals: Pick<Terminals, "list" | "connection">;
  configOf(terminalId: string): CloudConfig | undefined;
  isDenied(terminalId: string): boolean;
  clock: Clock;
  terminalsMax?: number;
}

export function createFleet({ terminals, configOf, isDenied, clock, terminalsMax = FLEET_TERMINALS_MAX }: FleetOptions): Fleet {
  const recent = createRecent<readonly TerminalView[]>(clock, RECENT_MS);

  /** One more than the limit, to know whether there are more. */
  async function look(): Promise<readonly TerminalView[]> {
    const found: TerminalView[] = [];
    while (found.length <= terminalsMax) {
      const page = await terminals.list({ after: found.at(-1)?.terminalId ?? "", limit: PAGE });
      found.push(...page);
      if (page.length < PAGE) break;
    }
    return found;
  }

  function terminalOf(view: TerminalView): FleetTerminal {
    const { merchantId = null, group = null } = configOf(view.terminalId) ?? {};
    return { view, merchantId, group, denied: isDenied(view.terminalId) };
  }

  async function all(): Promise<FleetLook> {
    const views = await recent("all", look);
    return { terminals: views.slice(0, terminalsMax).map(terminalOf), isComplete: views.length <= terminalsMax };
  }

  return {
    all,
    matching: async (filter) => {
      const found = await all();
      return { ...found, terminals: found.terminals.filter((terminal) => matches(terminal, filter, clock.nowMs())) };
    },
    terminal: async (terminalId) => terminalOf(await terminals.connection(terminalId)),
  };
}

export function matches(terminal: FleetTerminal, filter: FleetFilter, nowMs: number): boolean {
  const { view, merchantId, group } = terminal;
  const { q = "", version, model, connection, seen } = filter;
  return (
    view.terminalId.startsWith(q) &&
    (version === undefined || view.device.appVersion === version) &&
    (model === undefined || view.device.deviceModel === model) &&
    (filter.merchantId === undefined || merchantId === filter.merchantId) &&
    (filter.group === undefined || group === filter.group) &&
    (connection === undefined || isConnected(terminal, connection)) &&
    (seen === undefined || wasSeen(view, seen, nowMs))
  );
}

function isConnected({ view, denied }: FleetTerminal, connection: NonNullable<FleetFilter["connection"]>): boolean {
  switch (connection) {
    case "ONLINE":
    case "OFFLINE":
    case "NEVER_CONNECTED":
      return view.connectionStatus === connection;
    case "WEBSOCKET":
    case "POLLING":
      return view.connectionType === connection;
    case "DENIED":
      return denied;
    case "WAITING":
      return view.queued + view.sent > 0;
  }
}

const SEEN_MS: Readonly<Record<NonNullable<FleetFilter["seen"]>, number>> = {
  HOUR: HOUR_MS,
  DAY: DAY_MS,
  WEEK: 7 * DAY_MS,
  OVER_DAY: DAY_MS,
  OVER_WEEK: 7 * DAY_MS,
  OVER_MONTH: 30 * DAY_MS,
};

function wasSeen({ connectionStatus, lastSeenMs }: TerminalView, seen: NonNullable<FleetFilter["seen"]>, nowMs: number): boolean {
  const atMs = connectionStatus === "ONLINE" ? nowMs : (lastSeenMs ?? Number.NEGATIVE_INFINITY);
  const isWithin = nowMs - atMs <= SEEN_MS[seen];
  return seen.startsWith("OVER_") ? !isWithin : isWithin;
}

export interface FleetChoice {
  readonly value: string;
  readonly terminals: number;
}

/** The values that filters can have, the most frequent first. */
export function choicesOf(found: readonly FleetTerminal[], valueIn: (terminal: FleetTerminal) => string | null | undefined): FleetChoice[] {
  const counts = new Map<string, number>();
  for (const terminal of found) {
    const value = valueIn(terminal) ?? "";
    if (value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const choices = [...counts].map(([value, terminals]) => ({ value, terminals }));
  return choices.sort((one, other) => other.terminals - one.terminals || (one.value < other.value ? -1 : 1)).slice(0, CHOICES_MAX);
}

/** Choices of one filter; a person types further ones. */
const CHOICES_MAX = 200;

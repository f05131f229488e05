import type { AppCatalog } from "../apps/app-catalog.ts";
import { type AppDeployment, type InstallMark, NO_MARK } from "../apps/app-deployment.ts";
import type { AppStore } from "../apps/app-store.ts";
import type { Deployments } from "../apps/deployments.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { createRecent } from "../kernel/recent.ts";
import { FLEET_TERMINALS_MAX, type Fleet, type FleetTerminal } from "./fleet.ts";
import type { ROLLOUT_STATES } from "./words.ts";

export type RolloutState = (typeof ROLLOUT_STATES)[number];

export interface RolloutTerminal {
  readonly terminalId: string;
  readonly state: RolloutState;
  /** Why the latest install failed; null if there is none, or no reason. */
  readonly reason: string | null;
  /** Null: it is not among the terminals that were looked through. */
  readonly terminal: FleetTerminal | null;
}

export interface FailureGroup {
  /** As one of the terminals reported it; null for no reason. */
  readonly reason: string | null;
  readonly terminals: number;
}

export interface RolloutProgress {
  readonly deployment: AppDeployment;
  readonly counts: Readonly<Record<RolloutState, number>>;
  /** The most frequent first. */
  readonly failures: readonly FailureGroup[];
  /** False: there are more terminals than are looked through. */
  readonly isComplete: boolean;
}

/** What a deployment has come to at each terminal that it is meant for now, or that it was offered to before. */
export interface RolloutProgresses {
  /** Rejects with RelayError `not_found`, `unavailable`. */
  of(deploymentId: number): Promise<RolloutProgress>;
  /** By terminal id, after `after`. */
  terminals(
    deploymentId: number,
    query: { state: RolloutState | null; after: string; limit: number },
  ): Promise<{ items: readonly RolloutTerminal[]; next: string | null }>;
}

export interface RolloutProgressOptions {
  fleet: Pick<Fleet, "all">;
  catalog: Pick<AppCatalog, "decisionFor" | "version" | "deployment">;
  deployments: Pick<Deployments, "read">;
  store: Pick<AppStore, "marksAfter">;
  clock: Clock;
}

/** Marks that are read at once: parsing them holds the thread up. */
const MARKS_PAGE = 1_000;

/** Pages look every 5 s, and share a look. */
const RECENT_MS = 4_000;

const FAILURE_GROUPS_MAX = 20;

export function createRolloutProgress({ fleet, catalog, deployments, store, clock }: RolloutProgressOptions): RolloutProgresses {
  const recent = createRecent<{ terminals: readonly RolloutTerminal[]; isComplete: boolean }>(clock, RECENT_MS);

  async function marksOf(deploymentId: number): Promise<Map<string, InstallMark>> {
    const marks = new Map<string, InstallMark>();
    for (let after = ""; marks.size < FLEET_TERMINALS_MAX; ) {
      const page = await store.marksAfter(deploymentId, after, MARKS_PAGE);
      for (const { terminalId, mark } of page) marks.set(terminalId, mark);
      after = page.at(-1)?.terminalId ?? "";
      if (page.length < MARKS_PAGE) break;
    }
    return marks;
  }

  async function look(deployment: AppDeployment) {
    const [marks, { terminals: found, isComplete }] = await Promise.all([marksOf(deployment.id), fleet.all()]);
    const versionName = catalog.version(deployment.versionId)?.versionName ?? null;
    const byId = new Map(found.map((terminal) => [terminal.view.terminalId, terminal]));
    const meant = found.map(({ view }) => view.terminalId).filter((id) => catalog.decisionFor(id)?.deployment.id === deployment.id);
    const ids = [...new Set([...meant, ...marks.keys()])].sort();
    const terminals = ids.map((terminalId) =>
      rolloutTerminal(terminalId, marks.get(terminalId) ?? NO_MARK, byId.get(terminalId), versionName),
    );
    return { terminals, isComplete: isComplete && marks.size < FLEET_TERMINALS_MAX };
  }

  async function lookAt(deploymentId: number) {
    const [deployment = null] = await deployments.read([deploymentId]);
    if (deployment === null) throw new RelayError("not_found", "There is no such deployment");
    // A step of an administrator is shown at once.
    return { deployment, ...(await recent(`${deploymentId} ${deployment.changedAtMs}`, () => look(deployment))) };
  }

  return {
    of: async (deploymentId) => {
      const { deployment, terminals, isComplete } = await lookAt(deploymentId);
      const counts = { INSTALLED: 0, DOWNLOADING: 0, WAITING: 0, OFFLINE: 0, FAILED: 0 };
      for (const { state } of terminals) counts[state] += 1;
      return { deployment, counts, failures: failuresOf(terminals), isComplete };
    },
    terminals: async (deploymentId, { state, after, limit }) => {
      const { terminals } = await lookAt(deploymentId);
      const left = terminals.filter((one) => one.terminalId > after && (state === null || one.state === state));
      const items = left.slice(0, limit);
      return { items, next: left.length > limit ? (items.at(-1)?.terminalId ?? null) : null };
    },
  };
}

function rolloutTerminal(
  terminalId: string,
  mark: InstallMark,
  terminal: FleetTerminal | undefined,
  versionName: string | null,
): RolloutTerminal {
  const state = stateOf(mark, terminal, versionName);
  return { terminalId, state, reason: state === "FAILED" ? (mark.reason ?? null) : null, terminal: terminal ?? null };
}

/** A terminal that says that it runs the version has it, however it came there. */
function stateOf(
  { outcome, offered, downloaded }: InstallMark,
  terminal: FleetTerminal | undefined,
  versionName: string | null,
): RolloutState {
  if (outcome === "installed" || (versionName !== null && terminal?.view.device.appVersion === versionName)) return "INSTALLED";
  if (outcome === "failed") return "FAILED";
  if (terminal?.view.connected !== true) return "OFFLINE";
  return offered || downloaded ? "DOWNLOADING" : "WAITING";
}

/** Reasons that differ only in numbers are one. */
function failuresOf(terminals: readonly RolloutTerminal[]): FailureGroup[] {
  const groups = new Map<string, { reason: string | null; terminals: number }>();
  for (const { state, reason } of terminals) {
    if (state !== "FAILED") continue;
    const key = reason === null ? "" : reason.toLowerCase().replaceAll(/\d+/g, "#");
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { reason, terminals: 1 });
    else group.terminals += 1;
  }
  return [...groups.values()].sort((one, other) => other.terminals - one.terminals).slice(0, FAILURE_GROUPS_MAX);
}

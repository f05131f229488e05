import { type Static, Type } from "@sinclair/typebox";
import type { FleetAction } from "../../../../engine/fleet/action.ts";
import {
  FLEET_ACTION_STATES,
  FLEET_ACTION_TERMINALS_MAX,
  FLEET_ACTIONS,
  FLEET_CONNECTIONS,
  FLEET_OUTCOMES,
  FLEET_REFUSALS,
  FLEET_SEEN,
} from "../../../../engine/fleet/words.ts";
import { CONFIG_NAME_LENGTH_MAX, CONFIG_NAME_PATTERN } from "../../../../engine/settings/cloud-config.ts";
import { SETTINGS_MAX } from "../../../../engine/settings/configure-terminal.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";
import { NamedTerminalId, words } from "../../parts/schemas.ts";
import { TerminalRecord } from "../terminal-record.ts";

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ minLength: 1, maxLength, description }));

/** The filters of the fleet, in queries and in bodies. */
export const FLEET_FILTERS = {
  q: Type.Optional(Type.String({ maxLength: 64, pattern: "^[A-Za-z0-9._-]*$", description: "The beginning of the terminal id." })),
  version: text(256, "The app version that the terminal reports."),
  model: text(256, "The device model that the terminal reports."),
  merchantId: text(CONFIG_NAME_LENGTH_MAX, "The merchant in the terminal's cloud configuration."),
  group: text(CONFIG_NAME_LENGTH_MAX, "The group in the terminal's cloud configuration."),
  connection: Type.Optional(
    words(FLEET_CONNECTIONS, {
      title: "FleetConnection",
      description: "DENIED: the login of the terminal is disabled. WAITING: commands wait for it or have no result yet.",
    }),
  ),
  seen: Type.Optional(
    words(FLEET_SEEN, {
      title: "FleetSeen",
      description:
        "When the terminal was last seen: within the last hour, day or week, or not within the last day, week or month (30 days).",
    }),
  ),
};

export const FleetTerminalSchema = Type.Object(
  {
    ...TerminalRecord.properties,
    merchantId: Type.Union([Type.String(), Type.Null()]),
    group: Type.Union([Type.String(), Type.Null()]),
  },
  { title: "FleetTerminal" },
);
export type FleetTerminalJson = Static<typeof FleetTerminalSchema>;

const Choices = Type.Array(Type.Object({ value: Type.String(), terminals: Type.Integer() }));

export const FleetSummary = Type.Object(
  {
    matching: Type.Integer({ description: "The number of terminals that match." }),
    complete: Type.Boolean({ description: "False if the relay has more terminals than it examines." }),
    actionTerminalsMax: Type.Integer({ description: "The largest number of terminals of an action." }),
    versions: Choices,
    models: Choices,
    groups: Choices,
  },
  { title: "FleetSummary" },
);
export type FleetSummaryJson = Static<typeof FleetSummary>;

const Value = Type.Union([Type.String({ maxLength: 1_024 }), Type.Number(), Type.Boolean(), Type.Null()]);
const Group = Type.String({ minLength: 1, maxLength: CONFIG_NAME_LENGTH_MAX, pattern: CONFIG_NAME_PATTERN });

export const FleetActionRequest = Type.Object(
  {
    type: words(FLEET_ACTIONS, {
      title: "FleetActionType",
      description:
        "LOGS: send LOGCAT. SETTINGS: set `group` and `settings`. INSTALL: send the update notice of `versionId`. RESTART: send RESTART to terminals that declared it, unless another command waits for the terminal or has no result.",
    }),
    terminalIds: Type.Optional(
      Type.Array(NamedTerminalId, { minItems: 1, maxItems: FLEET_ACTION_TERMINALS_MAX, description: "Excludes `filter`." }),
    ),
    filter: Type.Optional(
      Type.Object(FLEET_FILTERS, {
        title: "FleetFilter",
        description: `Selects all terminals that match now, at most ${FLEET_ACTION_TERMINALS_MAX}. Excludes \`terminalIds\`.`,
      }),
    ),
    group: Type.Optional(Type.Union([Group, Type.Null()], { description: "For SETTINGS: the new group; null removes it." })),
    settings: Type.Optional(
      Type.Record(Type.String(), Value, {
        maxProperties: SETTINGS_MAX,
        description: "For SETTINGS: set in addition to the other settings.",
      }),
    ),
    versionId: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: "For INSTALL." })),
  },
  { title: "FleetActionRequest" },
);

const Task = Type.Object(
  {
    terminalId: Type.String(),
    outcome: words(FLEET_OUTCOMES, {
      title: "FleetOutcome",
      description:
        "PENDING: not handled yet. SENT: sent to the terminal. QUEUED: waits for the terminal. APPLIED: the settings are stored. REFUSED: see `refusal`. SKIPPED: the action was stopped before.",
    }),
    refusal: Type.Union([words(FLEET_REFUSALS, { title: "FleetRefusal" }), Type.Null()]),
  },
  { title: "FleetTask" },
);

const counts = {
  PENDING: Type.Integer(),
  SENT: Type.Integer(),
  QUEUED: Type.Integer(),
  APPLIED: Type.Integer(),
  REFUSED: Type.Integer(),
  SKIPPED: Type.Integer(),
} satisfies Record<(typeof FLEET_OUTCOMES)[number], unknown>;

export const FleetActionItem = Type.Object(
  {
    id: Type.String(),
    type: words(FLEET_ACTIONS),
    state: words(FLEET_ACTION_STATES, { title: "FleetActionState" }),
    createdBy: Type.String({ description: "The name of the administrator." }),
    createdAt: Type.String({ description: "ISO 8601 UTC." }),
    endedAt: Type.Union([Type.String(), Type.Null()]),
    terminals: Type.Integer(),
    counts: Type.Object(counts, { title: "FleetActionCounts" }),
    versionId: Type.Optional(Type.Integer()),
    group: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    settings: Type.Optional(Type.Record(Type.String(), Value)),
  },
  { title: "FleetActionItem" },
);
export type FleetActionItemJson = Static<typeof FleetActionItem>;

export const FleetActionDetail = Type.Object({ ...FleetActionItem.properties, tasks: Type.Array(Task) }, { title: "FleetAction" });
export type FleetActionJson = Static<typeof FleetActionDetail>;

export function actionItem({ id, order, state, createdBy, createdAtMs, endedAtMs, tasks }: FleetAction): FleetActionItemJson {
  const counted = { PENDING: 0, SENT: 0, QUEUED: 0, APPLIED: 0, REFUSED: 0, SKIPPED: 0 };
  for (const { outcome } of tasks) counted[outcome] += 1;
  const { type, ...members } = order;
  return {
    ...{ id, type, state, createdBy, createdAt: iso(createdAtMs), endedAt: isoOrNull(endedAtMs), terminals: tasks.length, counts: counted },
    ...members,
  };
}

export function actionDetail(action: FleetAction): FleetActionJson {
  return { ...actionItem(action), tasks: action.tasks.map((task) => ({ ...task })) };
}

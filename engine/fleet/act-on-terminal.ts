import type { Caller } from "../access/caller.ts";
import type { AppCatalog } from "../apps/app-catalog.ts";
import { isOfferable } from "../apps/app-version.ts";
import type { PushUpdate } from "../apps/push-update.ts";
import { type ErrorCode, RelayError } from "../kernel/errors.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import type { ConfigureTerminal } from "../settings/configure-terminal.ts";
import type { SendUtility } from "../terminals/send-payment.ts";
import type { FleetAction, FleetOrder, FleetRefusal, FleetResult } from "./action.ts";
import type { Fleet, FleetTerminal } from "./fleet.ts";

/** Carries out an action at one terminal. Repeating it does nothing twice that a terminal would execute twice. */
export type ActOnTerminal = (action: Pick<FleetAction, "id" | "order" | "createdBy">, terminalId: string) => Promise<FleetResult>;

export interface ActOnTerminalOptions {
  fleet: Pick<Fleet, "terminal">;
  sendUtility: SendUtility;
  configureTerminal: Pick<ConfigureTerminal, "save">;
  catalog: Pick<AppCatalog, "version">;
  pushUpdate: PushUpdate;
  digest: Digest;
  failed(what: string, error: unknown): void;
}

export function createActOnTerminal(options: ActOnTerminalOptions): ActOnTerminal {
  const { fleet, sendUtility, configureTerminal, catalog, pushUpdate, digest, failed } = options;

  async function send(id: string, createdBy: string, terminalId: string, service: "LOGCAT" | "RESTART"): Promise<FleetResult> {
    const caller: Caller = { type: "administrator", username: createdBy, role: "operator" };
    // The same for each attempt, so that the relay refuses a second command.
    const body = { uuid: uuidOf(digest(`fleet action ${id} ${terminalId}`)), service, amount: 0 };
    const { outcome } = await sendUtility("administrative", caller, terminalId, body, service === "RESTART" ? ONLY_IDLE : undefined);
    if (outcome.type === "queue_full") return refused("QUEUE_FULL");
    return { outcome: outcome.state === "queued" ? "QUEUED" : "SENT", refusal: null };
  }

  async function act({ id, order, createdBy }: Parameters<ActOnTerminal>[0], terminal: FleetTerminal): Promise<FleetResult> {
    const { terminalId } = terminal.view;
    const refusal = refusalOf(order, terminal);
    if (refusal !== null) return refused(refusal);
    switch (order.type) {
      case "LOGS":
        return send(id, createdBy, terminalId, "LOGCAT");
      case "RESTART":
        return send(id, createdBy, terminalId, "RESTART");
      case "SETTINGS": {
        const { group, settings } = order;
        await configureTerminal.save(terminalId, { group, ...(settings === undefined ? {} : { moreSettings: settings }) });
        return { outcome: "APPLIED", refusal: null };
      }
      case "INSTALL": {
        const version = catalog.version(order.versionId);
        if (version === null || !isOfferable(version)) return refused("NOT_OFFERABLE");
        const { recipients } = await pushUpdate(order.versionId, terminalId);
        return recipients === 0 ? refused("NO_WEBSOCKET") : { outcome: "SENT", refusal: null };
      }
    }
  }

  return async (action, terminalId) => {
    try {
      return await act(action, await fleet.terminal(terminalId));
    } catch (error) {
      if (error instanceof RelayError) return refused(REFUSALS[error.code] ?? "INTERNAL");
      failed("fleet.act", error);
      return refused("INTERNAL");
    }
  };
}

const ONLY_IDLE = { onlyIdle: true } as const;

const REFUSALS: { readonly [code in ErrorCode]?: FleetRefusal } = {
  conflict: "BUSY",
  invalid_request: "INVALID",
  unavailable: "UNAVAILABLE",
  too_busy: "UNAVAILABLE",
};

function refused(refusal: FleetRefusal): FleetResult {
  return { outcome: "REFUSED", refusal };
}

/** What can be known before anything is sent. Settings are stored for any terminal. */
export function refusalOf({ type }: FleetOrder, { view, denied }: FleetTerminal): FleetRefusal | null {
  if (type === "SETTINGS") return null;
  const { commands } = view.device;
  if (denied) return "DENIED";
  if (type === "RESTART" && commands?.includes("RESTART") !== true) return "NOT_SUPPORTED";
  if (type === "LOGS" && commands?.includes("LOGCAT") === false) return "NOT_SUPPORTED";
  if (!view.connected) return "OFFLINE";
  if (type === "INSTALL" && view.sessions === 0) return "NO_WEBSOCKET";
  return type !== "LOGS" && view.sent > 0 ? "BUSY" : null;
}

function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
}

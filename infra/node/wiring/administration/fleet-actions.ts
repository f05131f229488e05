import { createActOnTerminal } from "../../../../engine/fleet/act-on-terminal.ts";
import { createFleetActionStore } from "../../../../engine/fleet/action-store.ts";
import { createFleetActions, type FleetActions } from "../../../../engine/fleet/actions.ts";
import type { Fleet } from "../../../../engine/fleet/fleet.ts";
import type { Address, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { ConfigureTerminal } from "../../../../engine/settings/configure-terminal.ts";
import type { SendUtility } from "../../../../engine/terminals/send-payment.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import type { AppsOperations } from "../../../../http/surfaces/apps/surface.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";

export interface FleetActionParts {
  kv: Kv;
  bus: { readonly self: Address };
  homes: Homes;
  clock: Clock;
  ids: Ids;
  fleet: Fleet;
  relay: { readonly sendUtility: SendUtility };
  administration: { readonly configureTerminal: ConfigureTerminal };
  apps: Pick<AppsOperations, "appCatalog" | "pushUpdate">;
  failed(what: string, error: unknown): void;
}

/** Actions of administrators on many terminals. */
export function composeFleetActions(parts: FleetActionParts): Lifecycle & { fleetActions: FleetActions } {
  const { kv, bus, homes, clock, ids, fleet, relay, administration, apps, failed } = parts;
  const act = createActOnTerminal({
    ...{ fleet, sendUtility: relay.sendUtility, configureTerminal: administration.configureTerminal },
    ...{ catalog: apps.appCatalog, pushUpdate: apps.pushUpdate, digest: sha256Hex, failed },
  });
  const { runner, ...fleetActions } = createFleetActions({
    ...{ store: createFleetActionStore(kv), fleet, act, clock, digest: sha256Hex, newName: ids.uuid, homes, self: bus.self, failed },
  });
  let stopped: Promise<void> | null = null;
  return {
    fleetActions,
    tick: runner.tick,
    drain: () => {
      stopped ??= runner.stop();
    },
    close: async () => {
      stopped ??= runner.stop();
      await stopped;
    },
  };
}

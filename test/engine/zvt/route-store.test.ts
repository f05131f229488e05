import { createZvtRouteStore } from "../../../engine/zvt/route-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { testZvtRouteStore } from "../../contract/zvt-route-store.ts";

await onEachEngine(testZvtRouteStore, ({ kv, nowMs, close }) => {
  let lostVersion = 0;
  return {
    store: createZvtRouteStore({ kv, lostVersion: () => lostVersion }),
    kv,
    lose: async () => {
      lostVersion = await kv.lastVersion();
    },
    ...{ nowMs, close },
  };
});

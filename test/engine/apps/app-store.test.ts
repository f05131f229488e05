import { createAppStore } from "../../../engine/apps/app-store.ts";
import { testAppStore } from "../../contract/app-store.ts";
import { onEachEngine } from "../../contract/engines.ts";

await onEachEngine(testAppStore, ({ kv, ...opened }) => {
  let writers = 0;
  const another = () => {
    writers += 1;
    return createAppStore({ kv, nowMs: opened.nowMs, writer: `w${writers}` });
  };
  return { ...opened, store: another(), another };
});

import { createCallCountStore } from "../../../engine/partners/call-count-store.ts";
import { createMerchantStore } from "../../../engine/partners/merchant-store.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { testMerchantStore } from "../../contract/merchant-store.ts";

await onEachEngine(testMerchantStore, ({ kv, close }) => ({ store: createMerchantStore(kv), calls: createCallCountStore(kv), close }));

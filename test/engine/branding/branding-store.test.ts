import { testBrandingStore } from "../../contract/branding-store.ts";
import { onEachEngine } from "../../contract/engines.ts";

await onEachEngine(testBrandingStore, (opened) => opened);

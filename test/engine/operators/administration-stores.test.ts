import { testAdministrationStores } from "../../contract/administration-stores.ts";
import { onEachEngine } from "../../contract/engines.ts";

await onEachEngine(testAdministrationStores, (opened) => opened);

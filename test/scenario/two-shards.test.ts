import { runScenariosWithShards } from "./scenarios.ts";

runScenariosWithShards(2);

import { runScenariosWithShards } from "./scenarios.ts";

runScenariosWithShards(1);

import { runScenarios } from "./scenarios.ts";

runScenarios(1);

import { onePlan } from "./surface.ts";

export const showPlan = onePlan.show({ name: "showPlan", summary: "Get a plan" });

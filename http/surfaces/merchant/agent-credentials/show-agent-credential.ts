import { oneAgentCredential } from "./surface.ts";

export const showAgentCredential = oneAgentCredential.show({
  name: "getAgentCredential",
  summary: "Get a credential of an AI agent",
  description: "Includes what the credential was used for, and its latest calls.",
  auth: "merchantUserOrAnyKey",
});

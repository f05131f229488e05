import { oneDispute } from "./surface.ts";

export const showDispute = oneDispute.show({
  name: "showDispute",
  summary: "Get a dispute",
  description: "With what is prepared and what was submitted. Texts and names of files are for roles that see personal data.",
});

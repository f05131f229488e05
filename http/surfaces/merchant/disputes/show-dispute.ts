import { oneDispute } from "./surface.ts";

export const showDispute = oneDispute.show({
  name: "showDispute",
  summary: "Get a dispute",
  description:
    "Returns the dispute with its draft and its submitted responses. Only roles that see personal data receive texts and file names.",
});

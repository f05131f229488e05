import { oneExport } from "./surface.ts";

export const showExport = oneExport.show({
  name: "showExport",
  summary: "Get an export",
  description:
    "Only the user who requested the export and the roles OWNER and ADMIN may call it. The response is 404 for everybody else, and after the export's 24 hours. Call it every second or two until the file is ready.",
  may: "operate",
});

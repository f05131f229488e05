import { oneAlert } from "./surface.ts";

export const showAlert = oneAlert.show({
  name: "showAlert",
  summary: "Get an alert",
  description: "Returns the alert. `uuid` identifies its payment among the transactions.",
});

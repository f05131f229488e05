import { oneAlert } from "./surface.ts";

export const showAlert = oneAlert.show({
  name: "showAlert",
  summary: "Get an alert",
  description: "Its payment is that of `uuid` among the transactions.",
});

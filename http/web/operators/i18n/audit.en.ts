import { amongLoaded } from "./app.en.ts";

export const audit = {
  title: "Audit",
  lead: "Who changed what, when and from where. Shows administrators and partners, or the users of one merchant.",
  find: "Find",
  findHint: "Searches name, activity, object and address in the loaded entries.",
  merchant: "Merchant id",
  merchantHint: "Enter an id to see the log of that merchant.",
  merchantForm: "Letters, digits, dots, dashes and underscores, up to 64.",
  count: (shown: number, loaded: number, isCut: boolean) => amongLoaded(shown, loaded, isCut, "entry", "entries"),
  as: "Signed in as",
  role: "Role at that time",
  emptyTitle: "No entries yet",
  emptyText: "Changes appear here. They are kept for 400 days.",
};

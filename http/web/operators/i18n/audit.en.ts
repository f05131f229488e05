import { amongLoaded } from "./app.en.ts";

export const audit = {
  title: "Audit",
  lead: "Who changed what, when and from where: administrators and partners, or the people of one merchant.",
  find: "Find",
  findHint: "Name, activity, object or address, among what is loaded.",
  merchant: "Merchant id",
  merchantHint: "Shows the log of this merchant instead.",
  merchantForm: "Letters, digits, dots, dashes and underscores, up to 64.",
  count: (shown: number, loaded: number, isCut: boolean) => amongLoaded(shown, loaded, isCut, "entry", "entries"),
  as: "Signed in as",
  role: "Role then",
  emptyTitle: "No entries",
  emptyText: "Changes appear here, and are kept for 400 days.",
};

export const search = {
  field: "What are you looking for?",
  merchantHint:
    "An amount, the beginning of an id, an authorization code, the last four digits of a card, a terminal, or a customer's whole e-mail address.",
  results: "Results",
  pages: "Pages",
  groups: {
    payments: "Payments",
    payment_links: "Payment links",
    subscriptions: "Subscriptions",
    disputes: "Disputes and alerts",
    terminals: "Terminals",
  },
  first: (group: string) => `${group}: first results`,
  allPayments: "Show all of these payments",
  near: (text: string) => `Nothing has the id ${text}. These are similar:`,
  suggestions: "Did you mean one of these?",
  searching: "Searching…",
  nothing: (text: string) => `Nothing found for “${text}”.`,
  count: (count: number) => (count === 1 ? "1 result" : `${count} results`),
  away: (groups: string) => `Could not be searched right now: ${groups}. Everything else was searched.`,
  since: (day: string) => `Payments before ${day} were not searched. Use the filters of the transactions to go back further.`,
  withheld: "Your role does not see personal data, so it cannot search by e-mail address.",
};

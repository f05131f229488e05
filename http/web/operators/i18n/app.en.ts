export const amongLoaded = (shown: number, loaded: number, isCut: boolean, one: string, many: string): string => {
  const what = shown === 1 ? one : many;
  if (!isCut) return `${shown} ${what}`;
  return shown === loaded ? `The first ${shown} ${many}` : `${shown} ${what} among the first ${loaded}`;
};

export const app = { sandbox: "SANDBOX: no real money moves" };

export const nav = {
  work: "Daily work",
  fleet: "Fleet",
  relay: "Relay",
  attention: "Attention",
  search: "Search",
  terminals: "Terminals",
  rollouts: "Roll-outs",
  partners: "Partners",
  merchants: "Merchants",
  cluster: "Health",
  machines: "Machine tokens",
  audit: "Audit",
  mails: "Mails",
  account: "My account",
};

export const roles = { owner: "Owner", operator: "Operator", "read-only": "Read-only" };

export const entrance = {
  username: "Name",
  forgotten: "Forgotten the password? Another owner sets a new one. The owner of the configuration has it there.",
};

export const lists = {
  noMatchTitle: "Nothing matches",
  noMatch: "None of them is like this.",
  noMatchSoFar: "None of those that are loaded is like this. There are more: load them.",
};

export const account = {
  title: "My account",
  lead: (name: string, role: string) => `Signed in as ${name}. Role: ${role}`,
  preferencesHint: "Kept in this browser.",
  passwordText: "The next sign-in asks for the new one, here and over the interface.",
  configured: "The password of this owner is in the configuration (RELAY_ADMIN_PASSWORD), and is changed only there.",
};

import type { AdministratorRole } from "../../../../engine/access/administrator-role.ts";

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
  fleetPage: "Fleet actions",
  rollouts: "Roll-outs",
  partners: "Partners",
  merchants: "Merchants",
  cluster: "Health",
  machines: "Machine tokens",
  audit: "Audit",
  mails: "E-mails",
  account: "My account",
};

export const roles = { owner: "Owner", operator: "Operator", "read-only": "Read-only" };

/** The rights that each role adds to those below it. A new role does not compile without them. */
export const roleRights = {
  "read-only": ["See terminals, payments, partners, merchants, nodes and the audit log"],
  operator: [
    "Send payments and commands to terminals, configure them, allow and deny them",
    "Upload versions of the app and roll them out",
    "Record disputes and alerts, resend webhooks and callbacks, remove entries that need attention",
    "Enable and disable partners, limit the calls of merchants, drain nodes, see the list of e-mails",
  ],
  owner: [
    "Manage administrators, their passwords and second factors, and machine tokens",
    "Manage partners, their keys and rates, and the gateway account",
    "Invite and remove portal users of merchants, reset their second factors, read e-mails",
  ],
} satisfies Readonly<Record<AdministratorRole, readonly string[]>>;

export const entrance = {
  username: "Name",
  forgotten: "Forgot your password? Another owner can set a new one. The password of the configured owner is in the configuration.",
};

export const lists = {
  noMatchTitle: "No results",
  noMatch: "Change or remove a filter.",
  noMatchSoFar: "No match among the loaded entries. Load more, or change a filter.",
};

export const account = {
  title: "My account",
  lead: (name: string, role: string) => `Signed in as ${name}. Role: ${role}`,
  preferencesHint: "Saved in this browser.",
  passwordText: "From the next sign-in you use the new password, here and in the API.",
  configured: "The password of this owner is in the configuration (RELAY_ADMIN_PASSWORD). You can change it only there.",
};

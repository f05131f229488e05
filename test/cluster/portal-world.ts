import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { PersonPlace } from "../support/browser/browser-person.ts";
import { type Answer, CREDENTIALS, HttpClient } from "../support/http/http-client.ts";
import { textMember } from "../support/http/matches.ts";
import { type NewPartnerApi, newPartnerApi, type PartnerPlace } from "../support/people/new-partner-api.ts";
import { lastMailTo, PORTAL_API, PORTAL_PASSWORD, PortalPerson } from "../support/people/portal-person.ts";
import type { TestCluster } from "./cluster-world.ts";

export type Nodes = Pick<TestCluster, "nodes">;

let addresses = 0;

/** A caller of the node that `node` names when it asks, at an address that nobody else has. */
export function callerOf({ nodes }: Nodes, node: () => number, headers: { [name: string]: string }): HttpClient {
  addresses += 1;
  return new HttpClient(() => nodes[node()]?.url ?? "", headers, `127.10.${addresses >> 8}.${addresses & 255}`);
}

/** One node, to whom partners and administrators are made through it. */
export function placeOf(cluster: Nodes, node: number): PartnerPlace {
  const client = (headers: { [name: string]: string }) => callerOf(cluster, () => node, headers);
  return { uuid: randomUUID, client, administrator: () => client(CREDENTIALS.administrator) };
}

/** A person with one browser, at one address, whose requests go to whichever node is chosen. */
export interface Visitor {
  readonly email: string;
  at(node: number): PortalPerson;
}

export function visitorOf(cluster: Nodes, email: string): Visitor {
  const way = { node: 0 };
  const person = new PortalPerson(
    browserPlaceOf(cluster, () => way.node),
    email,
  );
  return {
    email,
    at: (node) => {
      way.node = node;
      return person;
    },
  };
}

/** Where a person's browser is, whose requests go to the node that `node` names. */
export function browserPlaceOf(cluster: Nodes, node: () => number): PersonPlace {
  return {
    client: (headers) => callerOf(cluster, node, headers),
    nowMs: Date.now,
    advance: () => assert.fail("more codes than these thirty seconds have: the clocks of these nodes are the machine's"),
  };
}

/** A merchant, its partner, and its first owner, who has signed in. */
export interface Shop {
  merchantId: string;
  partner: NewPartnerApi;
  secretKey: string;
  owner: Visitor;
  ownerId: string;
}

export async function newShop(cluster: Nodes, node = 0): Promise<Shop> {
  const partner = await newPartnerApi(placeOf(cluster, node));
  const merchantId = `shop-${randomUUID()}`;
  const made = await partner.call("POST", "/merchants", { merchantId, merchantName: "Bar Centrale" });
  assert.equal(made.status, 201, made.text);
  const email = addressOf("anna");
  const invited = await partner.call("POST", `/merchants/${merchantId}/portal-users`, { email, locale: "en" });
  assert.equal(invited.status, 201, invited.text);
  const owner = visitorOf(cluster, email);
  await join(cluster, owner, node);
  const secretKey = textMember(made.body, "keys", "secretKey");
  return { merchantId, partner, secretKey, owner, ownerId: textMember(invited.body, "user", "userId") };
}

/** Accepts the last invitation and enrols an authenticator app, at one node. */
export async function join(cluster: Nodes, visitor: Visitor, node: number): Promise<void> {
  const { token } = await lastMailTo(placeOf(cluster, node), visitor.email);
  const accepted = await visitor.at(node).accept(token);
  assert.equal(accepted.status, 200, accepted.text);
  await visitor.at(node).enrol();
}

/** Another user of the shop, who has signed in; invited at one node, and joining at another. */
export async function newColleague(cluster: Nodes, shop: Shop, role: string, node = 0): Promise<{ visitor: Visitor; userId: string }> {
  const email = addressOf(role.toLowerCase());
  const invited = await shop.owner.at(node).send("POST", "/users", { email, role, locale: "en" });
  assert.equal(invited.status, 201, invited.text);
  const visitor = visitorOf(cluster, email);
  await join(cluster, visitor, (node + 1) % cluster.nodes.length);
  return { visitor, userId: textMember(invited.body, "data", "userId") };
}

/** Signs in with another browser; by a recovery code, of which there are ten, and not one for each half minute. */
export async function anotherBrowser(cluster: Nodes, person: PortalPerson, node: number, password = PORTAL_PASSWORD): Promise<Visitor> {
  const visitor = visitorOf(cluster, person.email);
  const begun = await visitor.at(node).send("POST", "/session", { email: person.email, password });
  assert.equal(begun.status, 200, begun.text);
  const recoveryCode = person.recoveryCodes.shift();
  const signedIn = await visitor.at((node + 1) % cluster.nodes.length).send("POST", "/session/second-factor", { recoveryCode });
  assert.equal(signedIn.status, 200, signedIn.text);
  return visitor;
}

/** What every node answers to the next request of a session, by its token. */
export function everywhere(cluster: Nodes, token: string, path = "/me"): Promise<Answer[]> {
  const headers = { cookie: `relay_portal=${token}`, "sec-fetch-site": "same-origin" };
  return Promise.all(cluster.nodes.map((_, node) => callerOf(cluster, () => node, headers).get(PORTAL_API + path)));
}

export async function assertSession(cluster: Nodes, token: string, status: 200 | 401): Promise<void> {
  const answers = await everywhere(cluster, token);
  const texts = answers.map(({ text }) => text).join("\n");
  assert.deepEqual(
    answers.map((answer) => answer.status),
    cluster.nodes.map(() => status),
    texts,
  );
}

export function addressOf(name: string): string {
  return `${name}.${randomUUID()}@example.com`;
}

import assert from "node:assert/strict";
import { listOf, member, textMember } from "../support/http/matches.ts";
import type { Relay } from "../support/node/relay.ts";
import { lastMailTo, PortalPerson } from "../support/people/portal-person.ts";
import { newShop, type Shop } from "./portal-world.ts";

export const addressOf = (relay: Relay, name: string) => `${name}.${relay.uuid().slice(0, 8)}@example.com`;

/** Accepts the last invitation to the address and enrols an authenticator app, beside the pages. */
export async function joined(relay: Relay, email: string): Promise<PortalPerson> {
  const person = new PortalPerson(relay, email);
  const accepted = await person.accept((await lastMailTo(relay, email)).token);
  assert.equal(accepted.status, 200, accepted.text);
  await person.enrol();
  return person;
}

/** A shop with its first owner, who has a session beside the pages too. */
export async function shopWithOwner(relay: Relay, name: string, terminals = 0): Promise<{ shop: Shop; owner: PortalPerson }> {
  const shop = await newShop(relay, name, terminals);
  const email = addressOf(relay, "anna");
  await shop.invite(email);
  return { shop, owner: await joined(relay, email) };
}

/** Another user, invited by the owner. */
export async function colleague(relay: Relay, owner: PortalPerson, name: string, role: string): Promise<PortalPerson> {
  const email = addressOf(relay, name);
  const invited = await owner.send("POST", "/users", { email, role, locale: "en" });
  assert.equal(invited.status, 201, invited.text);
  return joined(relay, email);
}

export interface ListedUser {
  userId: string;
  email: string;
  role: string;
  state: string;
}

export async function usersOf(person: PortalPerson): Promise<ListedUser[]> {
  const answer = await person.send("GET", "/users");
  assert.equal(answer.status, 200, answer.text);
  return listOf(member(answer.body, "data", "items")).map((user) => ({
    ...{ userId: textMember(user, "userId"), email: textMember(user, "email") },
    ...{ role: textMember(user, "role"), state: textMember(user, "state") },
  }));
}

export async function userIdOf(person: PortalPerson, email: string): Promise<string> {
  const found = (await usersOf(person)).find((user) => user.email === email);
  assert.ok(found !== undefined, `${email} is no user`);
  return found.userId;
}

import assert from "node:assert/strict";
import { type Call, UNAUTHORIZED } from "../../support/http/answers-to.ts";
import type { Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { basic } from "../../support/node/node.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newAdministrator } from "../../support/people/new-administrator.ts";
import { newPartner } from "../../support/people/new-partner.ts";
import { test, testOnNodes } from "../layouts.ts";

const NOT_FOUND = { status: 404, body: { status: "error", error: "Administrator not found" } };
const CONFIGURED = { status: 409, body: { status: "error", error: /RELAY_ADMIN_USERNAME/ } };
const TAKEN = { status: 400, body: { status: "error", error: "username: already exists" } };
const BASE = "/admin/administrators";

export function administrators(relay: Relay): void {
  /** Several times, each at the next node and any of its shards. */
  async function everywhere(username: string, password: string, expected: object): Promise<void> {
    for (let round = 0; round < 4; round += 1) {
      assertMatches(await relay.client({ authorization: basic(username, password) }).get(`${BASE}/me`), expected);
    }
  }

  const patch = (client: HttpClient, username: string, body: object): Promise<Answer> =>
    client.send(`${BASE}/${username}`, { method: "PATCH", body });
  const remove = (client: HttpClient, username: string): Promise<Answer> => client.send(`${BASE}/${username}`, { method: "DELETE" });

  async function entriesOf(subject: string): Promise<unknown[]> {
    const { body } = await relay.administrator().get("/admin/audit?limit=500");
    return listOf(member(body, "data")).filter((entry) => member(entry, "subject") === subject);
  }

  testOnNodes("an administrator is created with a generated password that is shown once, and may log in everywhere at once", async () => {
    const username = `anna-${relay.uuid()}`;
    const created = await relay.administrator().post(BASE, { username, role: "operator" });
    const data = { username, role: "operator", enabled: true, fromConfiguration: false, createdAt: /Z$/, passwordChangedAt: /Z$/ };
    assertMatches(created, { status: 201, body: { status: "ok", data, generatedPassword: /^.{20,}$/, message: /not shown again/ } });
    assert.equal(created.headers["cache-control"], "no-store");
    const password = textMember(created.body, "generatedPassword");
    await everywhere(username, password, { status: 200, body: { status: "ok", data } });
    await everywhere(username, "wrong password", UNAUTHORIZED);
    for (const path of [BASE, `${BASE}/${username}`, `${BASE}/${username.toUpperCase()}`]) {
      const shown = await relay.administrator().get(path);
      assert.equal(shown.status, 200, shown.text);
      assert.ok(shown.text.includes(username) && !/"password"|hash|sha256/i.test(shown.text), shown.text);
    }
    const [first] = listOf(member((await relay.administrator().get(BASE)).body, "data"));
    assert.deepEqual(first, { username: "admin", role: "owner", enabled: true, fromConfiguration: true });
    assertMatches(await relay.administrator().get(`${BASE}/me`), { status: 200, body: { data: { username: "admin", role: "owner" } } });
    await relay.restart();
    await everywhere(username, password, { status: 200, body: { data } });
  });

  test("a password may be chosen, with 12 characters at least, and each changes their own with whatever role", async () => {
    for (const role of ["owner", "operator", "read-only"] as const) {
      const first = `Pässwörd: 😀 ${role}`;
      const { username } = await newAdministrator(relay, role, first);
      await everywhere(username, first, { status: 200, body: { data: { username, role } } });
      const own = () => relay.client({ authorization: basic(username, first) });
      for (const password of ["elevenchars", "x".repeat(129), 12, null, undefined]) {
        assertMatches(await own().post(`${BASE}/me/password`, { password }), { status: 400, body: { error: /password/ } });
      }
      const second = `another one of ${username}`;
      const changed = await own().post(`${BASE}/me/password`, { password: second });
      assertMatches(changed, { status: 200, body: { status: "ok", data: { username, message: /./ } } });
      await everywhere(username, first, UNAUTHORIZED);
      await everywhere(username, second, { status: 200 });
      assertMatches(await entriesOf(username), [
        { action: "administrator.change-own-password", username, role, members: ["password"], outcome: "done" },
        { action: "administrator.create", username: "admin", role: "owner" },
      ]);
    }
    for (const password of ["elevenchars", "", "😀".repeat(129), "half \ud83d of a character"]) {
      assert.equal((await relay.administrator().post(BASE, { username: `x-${relay.uuid()}`, role: "owner", password })).status, 400);
    }
  });

  testOnNodes("a change of the role, disabling, a reset and the end are in force everywhere when they are answered", async () => {
    const [owner, operator] = [await newAdministrator(relay, "owner"), await newAdministrator(relay, "operator", "a chosen password")];
    const { username, password } = operator;
    const toOperate = (client: HttpClient) => client.send("/admin/zvt/config?nothing=1", { method: "POST" });
    const allowed = async (role: string, status: number) => {
      await everywhere(username, password, { status: 200, body: { data: { role } } });
      for (let round = 0; round < 4; round += 1) {
        const answer = await toOperate(relay.client({ authorization: basic(username, password) }));
        assert.equal(answer.status, status, answer.text);
      }
    };
    await allowed("operator", 400);
    for (let round = 0; round < 3; round += 1) {
      assertMatches(await patch(owner.client, username, { role: "read-only" }), {
        status: 200,
        body: { data: { username, role: "read-only" } },
      });
      await allowed("read-only", 403);
      assertMatches(await patch(owner.client, username, { role: "operator" }), { status: 200 });
      await allowed("operator", 400);
      assertMatches(await patch(owner.client, username, { enabled: false }), {
        status: 200,
        body: { data: { role: "operator", enabled: false } },
      });
      await everywhere(username, password, UNAUTHORIZED);
      assertMatches(await patch(owner.client, username, { enabled: true }), { status: 200 });
      await everywhere(username, password, { status: 200 });
    }
    const reset = await owner.client.post(`${BASE}/${username}/reset-password`);
    assertMatches(reset, { status: 200, body: { status: "ok", data: { username, message: /not shown again/ } } });
    await everywhere(username, password, UNAUTHORIZED);
    const generated = textMember(reset.body, "data", "generatedPassword");
    await everywhere(username, generated, { status: 200 });
    const given = await owner.client.post(`${BASE}/${username}/reset-password`, { password: "given by an owner" });
    assert.deepEqual(given.body, { status: "ok", data: { username, message: "The password is changed." } });
    await everywhere(username, generated, UNAUTHORIZED);
    await everywhere(username, "given by an owner", { status: 200 });
    assertMatches(await remove(owner.client, username), { status: 200, body: { status: "ok", data: { username } } });
    await everywhere(username, "given by an owner", UNAUTHORIZED);
    assertMatches(await remove(owner.client, username), NOT_FOUND);
    assertMatches(await patch(owner.client, username, {}), NOT_FOUND);
    assertMatches(await owner.client.post(`${BASE}/${username}/reset-password`), NOT_FOUND);
    assertMatches(await owner.client.get(`${BASE}/${username}`), NOT_FOUND);
    const by = { actor: "administrator", username: owner.username, role: "owner", outcome: "done" };
    assertMatches((await entriesOf(username)).slice(0, 5), [
      { ...by, action: "administrator.reset-password", outcome: "refused", code: "not_found" },
      { ...by, action: "administrator.change", outcome: "refused", code: "not_found" },
      { ...by, action: "administrator.delete", outcome: "refused", code: "not_found" },
      { ...by, action: "administrator.delete" },
      { ...by, action: "administrator.reset-password", members: ["password"] },
    ]);
    assert.equal((await relay.administrator().post(BASE, { username, role: "read-only" })).status, 201);
  });

  test("every audited change names who made it, with the role, whatever it is", async () => {
    const { username, client } = await newAdministrator(relay, "operator");
    const terminalId = relay.terminalId();
    await client.post(`/admin/terminals/${terminalId}/deny`);
    await client.post(`/admin/terminals/${terminalId}/allow`);
    const by = { actor: "administrator", username, role: "operator", ipAddress: client.localAddress };
    assertMatches(await entriesOf(terminalId), [
      { ...by, action: "terminal.allow" },
      { ...by, action: "terminal.deny" },
    ]);
    const partner = await newPartner(relay);
    await partner.byPassword.post("/api/partner/origins", { shop: "https://shop.example" });
    const [entry] = await entriesOf(String(partner.id));
    assertMatches(entry, { action: "partner.origins", username: partner.username, role: undefined });
  });

  test("the owner of the configuration cannot be changed, nor its name taken", async () => {
    const owner = await newAdministrator(relay, "owner");
    for (const client of [owner.client, relay.administrator()]) {
      for (const name of ["admin", "ADMIN"]) {
        assertMatches(await remove(client, name), CONFIGURED);
        assertMatches(await patch(client, name, { role: "read-only" }), CONFIGURED);
        assertMatches(await patch(client, name, { enabled: false }), CONFIGURED);
        assertMatches(await client.post(`${BASE}/${name}/reset-password`), CONFIGURED);
        assertMatches(await client.post(BASE, { username: name, role: "owner" }), TAKEN);
      }
    }
    assertMatches(await relay.administrator().post(`${BASE}/me/password`, { password: "a new password" }), CONFIGURED);
    await everywhere("admin", "admin", { status: 200, body: { data: { username: "admin", role: "owner", fromConfiguration: true } } });
  });

  testOnNodes("names are unique among administrators, partners and the configuration, both ways and at once", async () => {
    const [administrator, partner] = [await newAdministrator(relay, "read-only"), await newPartner(relay)];
    const gateway = { gwTml: "GWT1", gwApiKey: "GWMERCHANT1", gwSecretKey: "a gateway secret" };
    for (const username of [administrator.username.toUpperCase(), partner.username, partner.username.toUpperCase(), "Terminal"]) {
      assertMatches(await relay.administrator().post(BASE, { username, role: "owner" }), TAKEN);
    }
    const name = administrator.username.toUpperCase();
    assertMatches(await relay.administrator().post("/admin/api/partners", { username: name, ...gateway }), TAKEN);
    const rename = { method: "PUT", body: { username: name } } as const;
    assertMatches(await relay.administrator().send(`/admin/api/partners/${partner.id}`, rename), TAKEN);
    for (let round = 0; round < 5; round += 1) {
      const username = `both-${relay.uuid()}`;
      const answers = await Promise.all([
        relay.administrator().post(BASE, { username, role: "owner" }),
        relay.administrator().post("/admin/api/partners", { username: username.toUpperCase(), ...gateway }),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 400]);
    }
    for (const username of ["me", "", "a b", "a:b", "x".repeat(65), "é"]) {
      assertMatches(await relay.administrator().post(BASE, { username, role: "owner" }), { status: 400, body: { error: /username/ } });
    }
    assert.equal((await relay.administrator().get(`${BASE}/%C3%A9`)).status, 400);
    for (const body of [{ username: "x" }, { username: "x", role: "admin" }, { username: "x", role: "owner", roles: [] }]) {
      assert.equal((await relay.administrator().post(BASE, body)).status, 400, JSON.stringify(body));
    }
  });

  testOnNodes("of two owners who remove each other at once one stays", async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [await newAdministrator(relay, "owner"), await newAdministrator(relay, "owner")];
      const answers = await Promise.all([remove(one.client, other.username), remove(other.client, one.username)]);
      // The one who comes too late is refused by name, or, once the other's removal is everywhere, has no login any more.
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.ok(
        answers.every(({ status }) => [200, 401, 403].includes(status)),
        answers.map(({ text }) => text).join(" "),
      );
      const left = listOf(member((await relay.administrator().get(BASE)).body, "data")).map((each) => member(each, "username"));
      assert.equal([one, other].filter(({ username }) => left.includes(username)).length, 1);
    }
  });

  test("everything about administrators is for administrators", async () => {
    const [partner, terminal] = [await newPartner(relay), await relay.terminal(relay.terminalId())];
    const calls: Call[] = [
      ["GET", BASE],
      ["POST", BASE, { username: "x", role: "owner" }],
      ["GET", `${BASE}/me`],
      ["POST", `${BASE}/me/password`, { password: "a long password" }],
      ["DELETE", `${BASE}/x`],
    ];
    for (const caller of [partner.byKey, terminal, relay.fleet(), relay.nobody()]) {
      for (const [method, path, body] of calls) assertMatches(await caller.send(path, { method, body }), UNAUTHORIZED);
    }
  });
}

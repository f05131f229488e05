import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { atEnd } from "../../storage/kv/world.ts";
import type { Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { kafkaMissing } from "../../support/node/kafka.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { lastMailTo, mailsTo, PORTAL_API, PORTAL_PASSWORD } from "../../support/people/portal-person.ts";
import { connectStomp } from "../../support/people/stomp-terminal.ts";
import { eventually } from "../../support/within.ts";
import { assertRefusedAfterSleep, clusterOfSuite, type TestCluster } from "../cluster-world.ts";
import {
  addressOf,
  anotherBrowser,
  assertSession,
  callerOf,
  everywhere,
  newColleague,
  newShop,
  placeOf,
  type Shop,
  visitorOf,
} from "../portal-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

const NEW_PASSWORD = "quite another passphrase";

/** Rounds of what two nodes are asked at once: the one or the other is first. */
const ROUNDS = 6;

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort((one, other) => one - other);

const texts = (answers: readonly Answer[]) => answers.map(({ text }) => text).join("\n");

/** One of two that came at once is answered so, and the other so. */
function assertOneWins(answers: readonly Answer[], winner: number, ...losers: number[]): void {
  const [first, second] = statuses(answers);
  assert.equal(first, winner, texts(answers));
  assert.ok(second !== undefined && losers.includes(second), texts(answers));
}

/** Not more often: a person's requests of a second are bounded. */
const LOOK_MS = 500;

describe("the portal on three nodes", { skip: missing }, () => {
  const threeNodes = clusterOfSuite({ nodes: 3 });

  it("what ends or changes a session counts on every node with the next request", async (test) => {
    const cluster = await threeNodes();
    const shop = await newShop(cluster);
    const anna = shop.owner.at(0);
    await assertSession(cluster, anna.token, 200);

    await test.test("sign-out", async () => {
      const laptop = await anotherBrowser(cluster, anna, 1);
      const { token } = laptop.at(2);
      await assertSession(cluster, token, 200);
      assert.equal((await laptop.at(2).send("DELETE", "/session")).status, 200);
      await assertSession(cluster, token, 401);
      await assertSession(cluster, anna.token, 200);
    });

    await test.test("the end of all other sessions", async () => {
      const others = [await anotherBrowser(cluster, anna, 0), await anotherBrowser(cluster, anna, 2)];
      assertMatches(await shop.owner.at(1).send("DELETE", "/sessions"), { status: 200, body: { data: { ended: 2 } } });
      for (const other of others) await assertSession(cluster, other.at(0).token, 401);
      await assertSession(cluster, anna.token, 200);
    });

    await test.test("a changed role, a disabled and a removed member", async () => {
      const { visitor, userId } = await newColleague(cluster, shop, "ADMIN");
      const { token } = visitor.at(0);
      const roles = async () => {
        const sessions = await everywhere(cluster, token, "/session");
        return sessions.map(({ body }) => member(body, "data", "merchant", "role"));
      };
      assert.deepEqual(await roles(), ["ADMIN", "ADMIN", "ADMIN"]);
      const change = (node: number, body: object) => shop.owner.at(node).send("PATCH", `/users/${userId}`, body);
      assert.equal((await change(1, { role: "VIEWER" })).status, 200);
      assert.deepEqual(await roles(), ["VIEWER", "VIEWER", "VIEWER"]);
      for (const node of [0, 1, 2]) {
        const invited = await visitor.at(node).send("POST", "/users", { email: addressOf("new"), role: "VIEWER" });
        assertMatches(invited, { status: 403, body: { code: "role" } });
      }
      assert.equal((await change(2, { state: "DISABLED" })).status, 200);
      await assertSession(cluster, token, 401);
      assert.equal((await change(0, { state: "ACTIVE" })).status, 200);
      const again = await anotherBrowser(cluster, visitor.at(0), 1);
      await assertSession(cluster, again.at(0).token, 200);
      assert.equal((await shop.owner.at(2).send("DELETE", `/users/${userId}`)).status, 200);
      await assertSession(cluster, again.at(0).token, 401);
    });

    await test.test("a new password, by the old one and by a mail", async () => {
      const laptop = await anotherBrowser(cluster, anna, 1);
      const changed = await shop.owner.at(2).send("POST", "/me/password", { password: PORTAL_PASSWORD, newPassword: NEW_PASSWORD });
      assert.equal(changed.status, 200, changed.text);
      await assertSession(cluster, laptop.at(0).token, 401);
      await assertSession(cluster, anna.token, 200);
      assert.equal((await visitorOf(cluster, anna.email).at(0).send("POST", "/password/forgot", { email: anna.email })).status, 200);
      const token = await resetToken(cluster, anna.email);
      const reset = await visitorOf(cluster, anna.email).at(1).send("POST", "/password/reset", { token, password: PORTAL_PASSWORD });
      assert.equal(reset.status, 200, reset.text);
      await assertSession(cluster, anna.token, 401);
    });

    await test.test("replaced keys: the former pair is good on no node, the new one on each", async () => {
      const { owner, partner, merchantId, secretKey } = await newShop(cluster, 2);
      const statusOf = async (node: number, key: string) =>
        (await callerOf(cluster, () => node, { authorization: `Bearer ${key}` }).get(`${PORTAL_API}/transactions?limit=1`)).status;
      const good = async (key: string, status: 200 | 401) =>
        assert.deepEqual(await Promise.all([0, 1, 2].map((node) => statusOf(node, key))), [status, status, status]);
      await good(secretKey, 200);
      const replaced = await owner.at(1).send("POST", "/keys", {}, { "idempotency-key": randomUUID() });
      assert.equal(replaced.status, 201, replaced.text);
      await good(secretKey, 401);
      const second = textMember(replaced.body, "data", "secretKey");
      await good(second, 200);
      const again = await partner.call("POST", `/merchants/${merchantId}/keys`, { reason: "leaked" }, { "idempotency-key": randomUUID() });
      assert.equal(again.status, 200, again.text);
      await good(second, 401);
      await good(textMember(again.body, "keys", "secretKey"), 200);
      // Whoever replaces keys is still signed in.
      await assertSession(cluster, owner.at(0).token, 200);
    });

    await test.test("a deactivated merchant, and a disabled partner", async () => {
      const { owner, partner, merchantId } = await newShop(cluster, 1);
      const { token } = owner.at(0);
      const toggle = (node: number) =>
        placeOf(cluster, node).administrator().send(`/admin/api/partners/${partner.id}/toggle`, { method: "PATCH" });
      assertMatches(await toggle(2), { status: 200, body: { data: { enabled: false } } });
      await assertSession(cluster, token, 401);
      assertMatches(await toggle(0), { status: 200, body: { data: { enabled: true } } });
      // Nobody was signed out by it.
      await assertSession(cluster, token, 200);
      assert.equal((await partner.call("DELETE", `/merchants/${merchantId}`)).status, 200);
      await assertSession(cluster, token, 401);
    });

    await test.test("also on a node that slept meanwhile", async () => {
      const { owner, partner } = await newShop(cluster, 0);
      const cookie = `relay_portal=${owner.at(0).token}`;
      const asked = async () => {
        const answer = await callerOf(cluster, () => 2, { cookie, "sec-fetch-site": "same-origin" }).get(`${PORTAL_API}/me`);
        return answer.status;
      };
      assert.equal(await asked(), 200);
      const disable = async () => {
        const toggled = await placeOf(cluster, 0).administrator().send(`/admin/api/partners/${partner.id}/toggle`, { method: "PATCH" });
        assertMatches(toggled, { status: 200, body: { data: { enabled: false } } });
      };
      await assertRefusedAfterSleep(cluster.nodes[2], disable, asked);
    });
  });

  it("what counts once counts once, whichever nodes are asked at the same time", async (test) => {
    const cluster = await threeNodes();
    const shop = await newShop(cluster);
    const anna = shop.owner.at(0);
    const password = { email: anna.email, password: PORTAL_PASSWORD };

    /** Two browsers that have given the password, at two nodes. */
    const twoBegun = async (round: number) => {
      const browsers = [0, 1].map((index) => ({ visitor: visitorOf(cluster, anna.email), node: (round + index) % 3 }));
      for (const { visitor, node } of browsers) assert.equal((await visitor.at(node).send("POST", "/session", password)).status, 200);
      return (factor: object) =>
        Promise.all(browsers.map(({ visitor, node }) => visitor.at(node).send("POST", "/session/second-factor", factor)));
    };

    await test.test("a code of an authenticator app", async () => {
      const both = await twoBegun(0);
      assertOneWins(await both({ code: anna.code() }), 200, 401);
    });

    await test.test("recovery codes", async () => {
      for (let round = 0; round < 3; round += 1) {
        const both = await twoBegun(round);
        assertOneWins(await both({ recoveryCode: anna.recoveryCodes.shift() }), 200, 401);
      }
      assertMatches(await shop.owner.at(1).send("GET", "/me"), { body: { data: { recoveryCodesLeft: 7 } } });
    });

    await test.test("an invitation", async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const email = addressOf("bruno");
        const invited = await shop.owner.at(round % 3).send("POST", "/users", { email, role: "VIEWER" });
        assert.equal(invited.status, 201, invited.text);
        const { token } = await lastMailTo(placeOf(cluster, 0), email);
        const browsers = [visitorOf(cluster, email), visitorOf(cluster, email)];
        assertOneWins(await Promise.all(browsers.map((browser, index) => browser.at((round + index) % 3).accept(token))), 200, 410);
        // One account, which is the member.
        const users = await usersOf(shop, round % 3);
        assert.deepEqual(
          users.filter((user) => member(user, "email") === email).map((user) => member(user, "state")),
          ["ACTIVE"],
        );
        const userId = textMember(invited.body, "data", "userId");
        assert.equal((await shop.owner.at(0).send("DELETE", `/users/${userId}`)).status, 200);
      }
    });

    await test.test("an invitation that is withdrawn while it is accepted", async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const email = addressOf("carla");
        const invited = await shop.owner.at(0).send("POST", "/users", { email, role: "VIEWER" });
        const { token } = await lastMailTo(placeOf(cluster, 0), email);
        const browser = visitorOf(cluster, email);
        const [accepted, withdrawn] = await Promise.all([
          browser.at((round + 1) % 3).accept(token),
          shop.owner.at((round + 2) % 3).send("DELETE", `/users/${textMember(invited.body, "data", "userId")}`),
        ]);
        assert.equal(withdrawn.status, 200, withdrawn.text);
        assert.ok([200, 410].includes(accepted.status), accepted.text);
        // Whichever was first, nobody is left in the team, nor has a session at it.
        assert.equal((await usersOf(shop, 1)).length, 1);
        if (accepted.status === 200)
          assert.notEqual((await browser.at(0).send("POST", "/me/totp/confirm", { code: "000000" })).status, 200);
      }
    });

    await test.test("a link for a new password", async () => {
      const { owner } = await newShop(cluster, 1);
      const { email } = owner;
      for (let round = 0; round < 3; round += 1) {
        assert.equal(
          (
            await visitorOf(cluster, email)
              .at(round % 3)
              .send("POST", "/password/forgot", { email })
          ).status,
          200,
        );
        const token = await resetToken(cluster, email, round + 1);
        const passwords = ["one new passphrase of many", "two new passphrases of many"].map((text) => `${text} ${round}`);
        const answers = await Promise.all(
          passwords.map((password, index) =>
            visitorOf(cluster, email)
              .at((round + index) % 3)
              .send("POST", "/password/reset", { token, password }),
          ),
        );
        assertOneWins(answers, 200, 410);
        // The password is that of who was told so.
        const won = answers.findIndex(({ status }) => status === 200);
        for (const [index, password] of passwords.entries()) {
          const begun = await visitorOf(cluster, email).at(2).send("POST", "/session", { email, password });
          assert.equal(begun.status, index === won ? 200 : 401, begun.text);
        }
      }
    });

    await test.test("ten invitations leave five users", async () => {
      for (let round = 0; round < 2; round += 1) {
        const { merchantId, owner } = await newShop(cluster, round);
        const invitations = Array.from({ length: 10 }, (_, index) => {
          const email = addressOf(`user${index}`);
          if (index % 2 === 0) return owner.at(index % 3).send("POST", "/users", { email, role: "VIEWER" });
          const path = `/admin/api/merchants/${merchantId}/portal-users`;
          return placeOf(cluster, index % 3)
            .administrator()
            .post(path, { email, role: "VIEWER" });
        });
        const answers = await Promise.all(invitations);
        assert.deepEqual(statuses(answers), [201, 201, 201, 201, 409, 409, 409, 409, 409, 409], texts(answers));
        const shown = await usersOf({ owner }, 2);
        assert.equal(shown.length, 5);
      }
    });

    await test.test("two owners who remove each other leave one", async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const two = await newShop(cluster, round % 3);
        const { visitor, userId } = await newColleague(cluster, two, "OWNER");
        const answers = await Promise.all([
          two.owner.at(round % 3).send("DELETE", `/users/${userId}`),
          visitor.at((round + 1) % 3).send("DELETE", `/users/${two.ownerId}`),
        ]);
        assertOneWins(answers, 200, 401, 403);
        const left = answers[0]?.status === 200 ? two.owner : visitor;
        assertMatches(await usersOf({ owner: left }, 2), [{ email: left.email, role: "OWNER", state: "ACTIVE" }]);
      }
    });
  });

  it("counts wrong passwords of all nodes together, and holds back nobody where it signed in before", async () => {
    const cluster = await threeNodes();
    const { owner } = await newShop(cluster);
    const { email } = owner;
    // That it signed in there is stored behind the answer; the enrolment was a sign-in without a second factor.
    assert.equal((await owner.at(0).send("POST", "/session", { email, password: PORTAL_PASSWORD })).status, 200);
    const recoveryCode = owner.at(0).recoveryCodes.shift();
    assert.equal((await owner.at(0).send("POST", "/session/second-factor", { recoveryCode })).status, 200);

    const stranger = visitorOf(cluster, email);
    const guess = (node: number, password: string) => stranger.at(node).send("POST", "/session", { email, password });
    for (let count = 0; count < 5; count += 1) {
      assertMatches(await guess(count % 3, `guess ${count}`), { status: 401, body: { code: "invalid_login" } });
    }
    for (const node of [0, 1, 2]) {
      const held = await guess(node, PORTAL_PASSWORD);
      assertMatches(held, { status: 429, body: { code: "rate_limited" } });
      assert.ok(Number(held.headers["retry-after"]) > 800, held.headers["retry-after"]);
      // Strangers elsewhere are held back with it: they share the account's count.
      const elsewhere = await visitorOf(cluster, email)
        .at(node)
        .send("POST", "/session", { email, password: `other ${node}` });
      assert.equal(elsewhere.status, 429, elsewhere.text);
    }
    for (const node of [0, 1, 2]) {
      await eventually(async () => {
        const begun = await owner.at(node).send("POST", "/session", { email, password: PORTAL_PASSWORD });
        assert.equal(begun.status, 200, begun.text);
      });
    }
  });

  it("a payment that one node accepts and another hands out is the shop's, and every node shows it at once", async (test) => {
    const cluster = await threeNodes();
    const [one, other] = [await newShop(cluster, 0), await newShop(cluster, 1)];
    const reads = (shop: Shop, path: string) =>
      Promise.all(
        [0, 1, 2].map(async (node) => {
          const answer = await callerOf(cluster, () => node, { authorization: `Bearer ${shop.secretKey}` }).get(PORTAL_API + path);
          assert.equal(answer.status, 200, answer.text);
          return member(answer.body, "data");
        }),
      );
    const listed = async (shop: Shop) => {
      const lists = await reads(shop, "/transactions");
      return lists.map((data) => listOf(member(data, "items")).map((item) => textMember(item, "uuid")));
    };
    const assign = async (node: number, terminalId: string, { merchantId }: Shop) => {
      const answer = await cluster.caller(node, "administrator").post("/admin/cloud-configs", { terminalId, merchantId });
      assert.equal(answer.status, 200, answer.text);
    };
    const accepted = async (node: number, terminalId: string) => {
      const uuid = randomUUID();
      const answer = await cluster.caller(node, "partner").pay(terminalId, { uuid });
      assert.equal(answer.status, 200, answer.text);
      return uuid;
    };
    const taken = (node: number, terminalId: string): Promise<string> =>
      eventually(async () => {
        const answer = await cluster.caller(node, "fleet").poll(terminalId);
        assert.equal(answer.status, 200, answer.text);
        return textMember(answer.body, "uuid");
      });
    const posted = async (node: number, terminalId: string, uuid: string) => {
      const answer = await cluster.caller(node, "fleet").receipt(terminalId, { uuid, result: "OK", merchantId: other.merchantId });
      assert.equal(answer.status, 200, answer.text);
    };

    await test.test("in the lists", async () => {
      const made: string[] = [];
      for (let index = 0; index < 6; index += 1) {
        const terminalId = `S${index}`;
        await assign((index + 2) % 3, terminalId, one);
        const uuid = await accepted(index % 3, terminalId);
        assert.equal(await taken((index + 1) % 3, terminalId), uuid);
        await posted((index + 2) % 3, terminalId, uuid);
        made.unshift(uuid);
        assert.deepEqual(await listed(one), [made, made, made]);
      }
      assert.deepEqual(await listed(other), [[], [], []]);
      // Each is there once, too, when ClickHouse has it and the outbox has it no more.
      await eventually(async () => assert.match(await (await fetch(`${cluster.nodes[0]?.url}/metrics`)).text(), /^relay_outbox_depth 0$/m));
      assert.deepEqual(await listed(one), [made, made, made]);
    });

    await test.test("in the overview", async () => {
      await eventually(
        async () => {
          for (const data of await reads(one, "/overview")) {
            assertMatches(data, {
              today: [{ currency: "EUR", volumeMinor: 6 * 1_050, approved: 6, declined: 0 }],
              terminals: { total: 6 },
            });
          }
        },
        30_000,
        500,
      );
      for (const data of await reads(other, "/overview")) assertMatches(data, { today: [], terminals: { total: 0, online: 0 } });
    });

    await test.test("whose terminals are online", async () => {
      const terminal = await connectStomp(cluster.nodes[1]?.url ?? "", { login: "terminal", passcode: "terminal" });
      atEnd(test, () => terminal.client.deactivate());
      await terminal.subscribe("S0");
      await eventually(async () => {
        for (const data of await reads(one, "/terminals/S0"))
          assertMatches(data, { connectionStatus: "ONLINE", connectionType: "WEBSOCKET" });
      });
      await terminal.client.deactivate();
      for (const node of [0, 1, 2]) await cluster.caller(node, "fleet").post("/api/v1/S0/disconnect", {});
      await eventually(async () => {
        for (const data of await reads(one, "/terminals/S0")) assertMatches(data, { connectionStatus: "OFFLINE" });
      });
    });

    await test.test("when the terminal is given to another shop while commands wait", async () => {
      const before = await listed(one);
      await assign(0, "MOVED", one);
      const ones = await accepted(1, "MOVED");
      await assign(2, "MOVED", other);
      const others = await accepted(0, "MOVED");
      for (const [index, uuid] of [ones, others].entries()) {
        assert.equal(await taken(index, "MOVED"), uuid);
        await posted((index + 1) % 3, "MOVED", uuid);
      }
      assert.deepEqual(
        await listed(one),
        before.map((uuids) => [ones, ...uuids]),
      );
      assert.deepEqual(await listed(other), [[others], [others], [others]]);
      // A node shows its list of terminals for two seconds.
      // Not more often than once a second: a merchant's calls of a minute are bounded.
      const look = async () => {
        for (const data of await reads(other, "/terminals")) assertMatches(listOf(member(data, "items")), [{ terminalId: "MOVED" }]);
        for (const data of await reads(one, "/terminals")) assert.equal(listOf(member(data, "items")).length, 6);
      };
      await eventually(look, 30_000, 1_000);
    });
  });

  it("has in its logs what two nodes wrote, at both of them; also what a node wrote that has ended since", async () => {
    const cluster = await threeNodes();
    const shop = await newShop(cluster);
    const at = (node: number): HttpClient => callerOf(cluster, () => node, { authorization: `Bearer ${shop.secretKey}` });
    const newEndpoint = async (node: number): Promise<string> => {
      const made = await at(node).post("/api/merchant/webhooks", { url: "http://127.0.0.1:1/hooks", events: ["*"] });
      assert.equal(made.status, 201, made.text);
      return textMember(made.body, "data", "endpoint", "id");
    };
    const sendTest = async (node: number, id: string): Promise<void> => {
      const sent = await at(node).post(`/api/merchant/webhooks/${id}/test`, {});
      assert.equal(sent.status, 200, sent.text);
    };
    const entriesAt = async (node: number, log: "workflow" | "calls") => {
      const answer = await shop.owner.at(node).send("GET", `/logs/${log}?limit=200`);
      assert.equal(answer.status, 200, answer.text);
      return listOf(member(answer.body, "data", "items"));
    };
    const objectsAt = async (node: number) => (await entriesAt(node, "workflow")).map((entry) => textMember(entry, "objectId")).sort();
    /** Of whom an entry's id tells who wrote it: a writer is a shard of a node and a start. */
    const writersAt = async (node: number) =>
      new Set((await entriesAt(node, "workflow")).map((entry) => textMember(entry, "id").replace(/^\d+-(.+)-\d+$/, "$1")));

    const ids: string[] = [];
    for (const node of [0, 1, 0, 1]) ids.push(await newEndpoint(node));
    for (const [index, id] of ids.entries()) await sendTest(index % 2, id);
    await eventually(
      async () => {
        for (const node of [0, 1]) {
          assert.deepEqual(await objectsAt(node), [...ids].sort());
          assert.equal((await entriesAt(node, "calls")).length, ids.length);
        }
      },
      30_000,
      LOOK_MS,
    );
    assert.equal((await writersAt(0)).size, 2);

    // What it has not written yet it writes before it ends.
    ids.push(await newEndpoint(1));
    cluster.nodes[1]?.signal("SIGTERM");
    assert.deepEqual(await cluster.nodes[1]?.exited, { code: 0, signal: null });
    await eventually(async () => assert.deepEqual(await objectsAt(0), [...ids].sort()), 30_000, LOOK_MS);
  });
});

async function usersOf({ owner }: Pick<Shop, "owner">, node: number): Promise<unknown[]> {
  const answer = await owner.at(node).send("GET", "/users");
  assert.equal(answer.status, 200, answer.text);
  return listOf(member(answer.body, "data", "items"));
}

/** Of the last mail to who has forgotten its password, once there are so many; they are written behind the answer. */
function resetToken(cluster: TestCluster, email: string, count = 1): Promise<string> {
  return eventually(async () => {
    const mails = (await mailsTo(placeOf(cluster, 0), email)).filter(({ kind }) => kind === "password-reset");
    assert.equal(mails.length, count);
    return mails[0]?.token ?? "";
  });
}

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Redis } from "ioredis";
import { terminalPassword } from "../../../http/auth/terminal-password.ts";
import { clientOf } from "../../storage/kv/redis-world.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { kafkaMissing } from "../../support/node/kafka.ts";
import { basic } from "../../support/node/node.ts";
import { redisMissing } from "../../support/node/redis.ts";
import { type AdminPerson, newAdminPerson } from "../../support/people/admin-person.ts";
import { eventually } from "../../support/within.ts";
import { assertRefusedAfterSleep, clusterOfSuite, type TestCluster } from "../cluster-world.ts";
import { browserPlaceOf, callerOf, placeOf } from "../portal-world.ts";

const missing = (await redisMissing()) || (await kafkaMissing());

/** What a page of the relay's own says of its requests. */
const BROWSER = { "sec-fetch-site": "same-origin", "x-relay-portal": "1", "user-agent": "a browser" };

/** Who has signed in at one node, and asks whichever is named. */
interface SignedIn {
  readonly username: string;
  at(node: number): AdminPerson;
}

async function signedIn(cluster: TestCluster, node: number): Promise<SignedIn> {
  const way = { node };
  const place = { ...placeOf(cluster, node), ...browserPlaceOf(cluster, () => way.node) };
  const person = await newAdminPerson(place, "operator");
  return {
    username: person.username,
    at: (next) => {
      way.node = next;
      return person;
    },
  };
}

/** What a node answers to a session's cookie. */
async function statusAt(cluster: TestCluster, node: number, cookie: string): Promise<number> {
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  return (await callerOf(cluster, () => node, headers).get("/admin/terminals")).status;
}

async function assertEverywhere(cluster: TestCluster, cookie: string, status: 200 | 401): Promise<void> {
  assert.deepEqual(await Promise.all([0, 1, 2].map((node) => statusAt(cluster, node, cookie))), [status, status, status]);
}

/** Redis's own clock. */
async function nowMsOf(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

/** A terminal that logs in by itself; the secret is that of the sandbox. */
const login = (terminalId: string) => ({ authorization: basic(terminalId, terminalPassword("sandbox-terminal-secret", terminalId)) });

async function pollsAt(cluster: TestCluster, node: number, terminalId: string): Promise<number> {
  return (await cluster.caller(node, "nobody").poll(terminalId, login(terminalId))).status;
}

describe("access at three nodes", { skip: missing }, () => {
  const threeNodes = clusterOfSuite({ nodes: 3 });

  it("ends for an administrator on every node, also on one that slept meanwhile", async (test) => {
    const cluster = await threeNodes();
    const change = async (node: number, method: "PATCH" | "POST" | "DELETE", path: string, body?: object) => {
      const answer = await placeOf(cluster, node)
        .administrator()
        .send(`/admin/administrators/${path}`, { method, ...(body === undefined ? {} : { body }) });
      assert.equal(answer.status, 200, answer.text);
      return answer;
    };

    await test.test("a disabled administrator; enabled again, it signs in again", async () => {
      const anna = await signedIn(cluster, 0);
      const { cookie } = anna.at(0);
      await assertEverywhere(cluster, cookie, 200);
      await change(1, "PATCH", anna.username, { enabled: false });
      await assertEverywhere(cluster, cookie, 401);
      assert.equal((await anna.at(2).begin()).status, 401);
      await change(2, "PATCH", anna.username, { enabled: true });
      await assertEverywhere(cluster, cookie, 401);
      assert.equal((await anna.at(0).begin()).status, 200);
      const recoveryCode = anna.at(1).recoveryCodes.shift();
      const complete = await anna.at(1).send("POST", "/session/second-factor", { recoveryCode });
      assert.equal(complete.status, 200, complete.text);
      await assertEverywhere(cluster, anna.at(0).cookie, 200);
    });

    await test.test("another role, and a new password", async () => {
      for (const [index, [method, path, body]] of [
        ["PATCH", "", { role: "read-only" }] as const,
        ["POST", "/reset-password", {}] as const,
      ].entries()) {
        const person = await signedIn(cluster, index);
        const { cookie } = person.at(index);
        await assertEverywhere(cluster, cookie, 200);
        await change(index + 1, method, person.username + path, body);
        await assertEverywhere(cluster, cookie, 401);
      }
    });

    await test.test("a removed administrator, and a sign-out", async () => {
      const removed = await signedIn(cluster, 1);
      const { cookie } = removed.at(1);
      await change(2, "DELETE", removed.username);
      await assertEverywhere(cluster, cookie, 401);
      const left = await signedIn(cluster, 2);
      const before = left.at(2).cookie;
      assert.equal((await left.at(0).send("DELETE", "/session")).status, 200);
      await assertEverywhere(cluster, before, 401);
    });

    await test.test("the token from before the second factor opens nothing anywhere", async () => {
      const person = await signedIn(cluster, 0);
      assert.equal((await person.at(1).begin()).status, 200);
      const begun = person.at(1).cookie;
      await assertEverywhere(cluster, begun, 401);
      const code = person.at(2).code();
      assert.equal((await person.at(2).send("POST", "/session/second-factor", { code })).status, 200);
      await assertEverywhere(cluster, begun, 401);
      await assertEverywhere(cluster, person.at(0).cookie, 200);
    });

    await test.test("on a node that slept while its administrator was disabled", async () => {
      const person = await signedIn(cluster, 2);
      const { cookie } = person.at(2);
      await assertEverywhere(cluster, cookie, 200);
      const disable = async () => {
        await change(0, "PATCH", person.username, { enabled: false });
      };
      await assertRefusedAfterSleep(cluster.nodes[2], disable, () => statusAt(cluster, 2, cookie));
    });
  });

  it("is given once for a code of an authenticator app, or a recovery code, that comes to two nodes at once", async () => {
    const cluster = await threeNodes();
    const person = await signedIn(cluster, 0);
    const { username, password } = person.at(0);
    const browsers = [1, 2].map((node) => callerOf(cluster, () => node, BROWSER));
    /** Both have given the password; resolves with what each has to send with its cookie. */
    const bothBegin = () =>
      Promise.all(
        browsers.map(async (client) => {
          const begun = await client.send("/admin/session", { method: "POST", body: { username, password } });
          assertMatches(begun, { status: 200, body: { data: { stage: "factor" } } });
          const cookie = begun.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
          return (factor: object) => client.send("/admin/session/second-factor", { method: "POST", body: factor, headers: { cookie } });
        }),
      );
    const recoveryCode = person.at(0).recoveryCodes.shift();
    for (const factor of [{ code: person.at(0).code() }, { recoveryCode }]) {
      const both = await bothBegin();
      const answers = await Promise.all(both.map((send) => send(factor)));
      const texts = answers.map(({ text }) => text).join("\n");
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401], texts);
    }
  });

  it("ends for a terminal's own login on every node, also on one that slept meanwhile", async (test) => {
    const cluster = await threeNodes();
    const everywhere = (terminalId: string) => Promise.all([0, 1, 2].map((node) => pollsAt(cluster, node, terminalId)));
    /** Until it is answered with 200: where a node is too busy to confirm it in time, it is to be asked again. */
    const change = (node: number, what: string) =>
      eventually(async () => {
        const answer = await cluster.caller(node, "administrator").post(`/admin/terminals/${what}`);
        assert.equal(answer.status, 200, answer.text);
      });
    assert.deepEqual(await everywhere("T1"), [204, 204, 204]);
    for (let round = 0; round < 5; round += 1) {
      const changedAt = performance.now();
      await change(round % 3, "T1/deny");
      const tookMs = performance.now() - changedAt;
      assert.deepEqual(await everywhere("T1"), [401, 401, 401]);
      test.diagnostic(`withdrawn everywhere after ${Math.round(tookMs)} ms`);
      await change((round + 1) % 3, "T1/allow");
      assert.deepEqual(await everywhere("T1"), [204, 204, 204]);
    }

    const redis = clientOf(test, cluster.redis);
    const denyBesideSleeper = async () => {
      const startedAt = performance.now();
      await change(0, "T2/deny");
      test.diagnostic(`withdrawn after ${Math.round(performance.now() - startedAt)} ms, while a node slept`);
      const members = await redis.zrangebyscore("{relay}:members", `(${await nowMsOf(redis)}`, "+inf");
      assert.deepEqual(
        members.filter((incarnation) => incarnation.startsWith("node-2#")),
        [],
        "it was answered while the node that sleeps was still a member",
      );
    };
    await assertRefusedAfterSleep(cluster.nodes[2], denyBesideSleeper, () => pollsAt(cluster, 2, "T2"));
    await eventually(async () => assert.equal(await pollsAt(cluster, 2, "T1"), 204));
  });
});

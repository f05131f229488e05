import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AdminPerson, newAdminPerson } from "../support/admin-person.ts";
import { kafkaMissing } from "../support/kafka.ts";
import { assertMatches } from "../support/matches.ts";
import { redisMissing } from "../support/redis.ts";
import { eventually } from "../support/within.ts";
import { startCluster, type TestCluster } from "./cluster-world.ts";
import { browserPlaceOf, callerOf, placeOf } from "./portal-world.ts";

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

describe("sessions of administrators on three nodes", { skip: missing }, () => {
  it("end on every node with whatever ends them on one, also on a node that slept meanwhile", async (test) => {
    const cluster = await startCluster(test, { nodes: 3 });
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
      const [, , sleeper] = cluster.nodes;
      sleeper?.signal("SIGSTOP");
      await change(0, "PATCH", person.username, { enabled: false });
      // These wait in its sockets: they are the first that it sees when it wakes up.
      const early = Array.from({ length: 10 }, () => statusAt(cluster, 2, cookie));
      sleeper?.signal("SIGCONT");
      for (const status of await Promise.all(early))
        assert.ok(status === 401 || status === 503, `${status} to a disabled administrator's session`);
      const seen: number[] = [];
      await eventually(async () => {
        seen.push(await statusAt(cluster, 2, cookie));
        assert.equal(seen.at(-1), 401);
      });
      assert.ok(!seen.includes(200), `it was good for a while: ${seen.join(" ")}`);
    });
  });

  it("a code of an authenticator app, or a recovery code, that comes to two nodes at once signs in once", async (test) => {
    const cluster = await startCluster(test, { nodes: 3 });
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
});

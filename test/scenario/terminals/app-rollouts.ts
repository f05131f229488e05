import assert from "node:assert/strict";
import { assertMatches, listOf, member } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { newMerchant } from "../../support/people/new-merchant.ts";
import { eventually } from "../../support/within.ts";
import { test } from "../layouts.ts";
import { appWorld } from "./app-world.ts";

/** Roll-outs in rings, and what they have come to at each terminal. */
export function appRollouts(relay: Relay): void {
  const { createUploaded, deploy, offered, deployment, report } = appWorld(relay, 700_000);

  /** A merchant's terminals that have polled, the first of them in the group `pilot`. */
  async function terminals(count: number): Promise<{ merchantId: string; ids: string[] }> {
    const ids = Array.from({ length: count }, () => relay.terminalId()).sort();
    const { merchantId } = await newMerchant(relay, `SHOP-${ids[0]}`);
    for (const [index, terminalId] of ids.entries()) {
      const body = { terminalId, merchantId, ...(index === 0 ? { group: "pilot" } : {}) };
      const saved = await relay.administrator().post("/admin/cloud-configs", body);
      assert.equal(saved.status, 200, saved.text);
      assert.equal((await relay.fleet().take(terminalId)).status, 204);
    }
    return { merchantId, ids };
  }

  test("a roll-out in rings is started by hand, widened ring by ring, and stopped", async (t) => {
    const version = await createUploaded(t);
    const { merchantId, ids } = await terminals(2);
    const [pilot = "", other = ""] = ids;
    const rings = [{ groups: ["pilot"] }, { percent: 100 }];
    const id = await deploy(version, "merchant", { merchantId, rings, startsByHand: true });
    const step = (name: string) => relay.administrator().post(`/admin/app-deployments/${id}/${name}`, {});
    assertMatches(await deployment(id), { state: "draft", startsByHand: true, ringsStarted: 1, rings: [{ percent: 0 }, { groups: [] }] });
    assert.equal(await offered(pilot), null);
    assertMatches(await step("start"), { status: 200, body: { data: { state: "active" } } });
    assert.deepEqual([await offered(pilot), await offered(other)], [version.versionCode, null]);
    assertMatches(await step("next-ring"), { status: 200, body: { data: { ringsStarted: 2, rolloutPercent: 100 } } });
    assert.equal(await offered(other), version.versionCode);
    assertMatches(await step("next-ring"), { status: 409, body: { error: /no further ring/ } });
    const percent = await relay.administrator().send(`/admin/app-deployments/${id}`, { method: "PATCH", body: { rolloutPercent: 10 } });
    assertMatches(percent, { status: 409, body: { error: /next ring/ } });
    assertMatches(await step("stop"), { status: 200, body: { data: { state: "superseded", stopped: true } } });
    assert.equal(await offered(other), null);
    assertMatches(await step("resume"), { status: 409 });
  });

  test("the next ring starts when the terminals of the first have reported few failures", async (t) => {
    const version = await createUploaded(t);
    const { merchantId, ids } = await terminals(2);
    const [pilot = "", other = ""] = ids;
    await deploy(version, "merchant", { merchantId, rings: [{ groups: ["pilot"] }, { percent: 100 }], advanceAfterReports: 1 });
    assert.deepEqual([await offered(pilot), await offered(other)], [version.versionCode, null]);
    assert.equal((await report(pilot, version.versionCode, "completed")).status, 200);
    await eventually(async () => assert.equal(await offered(other), version.versionCode));
  });

  test("members of a deployment that exclude each other are refused", async (t) => {
    const version = await createUploaded(t);
    const CASES: [body: object, error: RegExp][] = [
      [{ rings: [{ percent: 10 }], rolloutPercent: 10 }, /^rolloutPercent: must be absent/],
      [{ advanceAfterReports: 5 }, /^advanceAfterReports: needs rings/],
      [{ rings: [{ percent: 10 }, {}] }, /^rings: ring 2 has neither/],
      [{ rings: [] }, /rings/],
      [{ rings: [{ percent: 101 }] }, /percent/],
    ];
    for (const [body, error] of CASES) {
      const answer = await relay.administrator().post(`/admin/app-versions/${version.id}/deploy-global`, body);
      assertMatches(answer, { status: 400, body: { error } }, JSON.stringify(body));
    }
  });

  test("the progress counts each terminal once, lists those of a state, and groups the reasons of failures", async (t) => {
    const version = await createUploaded(t);
    const { merchantId, ids } = await terminals(4);
    const [waiting = "", asked = "", failed = "", done = ""] = ids;
    const id = await deploy(version, "merchant", { merchantId });
    for (const terminalId of [asked, failed, done]) assert.equal(await offered(terminalId), version.versionCode);
    await report(failed, version.versionCode, "failed", { message: "needs 120 MB" });
    await report(done, version.versionCode, "completed");
    const progress = () => relay.administrator().get(`/admin/app-deployments/${id}/progress`);
    // Offers are counted without being waited for, and a look may be some seconds old.
    await eventually(async () => {
      relay.advance(5_000);
      assertMatches((await progress()).body, {
        data: {
          deployment: { id, state: "active" },
          counts: { INSTALLED: 1, DOWNLOADING: 1, WAITING: 1, OFFLINE: 0, FAILED: 1 },
          failures: [{ reason: "needs 120 MB", terminals: 1 }],
        },
      });
    });
    const listed = async (query: string) => {
      const { body } = await relay.administrator().get(`/admin/app-deployments/${id}/terminals${query}`);
      return { ids: listOf(member(body, "data", "items")).map((one) => member(one, "terminalId")), next: member(body, "data", "next") };
    };
    assert.deepEqual(await listed("?state=WAITING"), { ids: [waiting], next: null });
    assert.deepEqual(await listed("?state=FAILED"), { ids: [failed], next: null });
    assert.deepEqual(await listed("?limit=3"), { ids: ids.slice(0, 3), next: failed });
    assert.deepEqual(await listed(`?cursor=${failed}`), { ids: [done], next: null });
    assert.equal((await relay.administrator().get("/admin/app-deployments/999999999/progress")).status, 404);
  });
}

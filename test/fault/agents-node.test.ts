import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SANDBOX_MERCHANT } from "../../infra/node/boot/sandbox-names.ts";
import { listOf, member, textMember } from "../support/http/matches.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "./node-process.ts";

const ROUNDS = 8;
/** As many as a credential may ask in a second. */
const AT_ONCE = 10;
const AMOUNT = 7;
/** From the first request on: within it the commits of these requests fall. */
const KILLED_WITHIN_MS = 60;

describe("a node that is killed while an agent makes links", () => {
  it("leaves no link that took nothing, and nothing taken without a link", { timeout: 900_000 }, async (test) => {
    const place = await placeOf(test);
    const url = `http://127.0.0.1:${place.port}`;

    /** Null where the node died before it answered. */
    async function call(token: string, path: string, body?: object): Promise<{ status: number; body: unknown } | null> {
      try {
        const answer = await fetch(url + path, {
          method: body === undefined ? "GET" : "POST",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: answer.status, body: JSON.parse(await answer.text()) };
      } catch {
        return null;
      }
    }
    const shop = (path: string, body?: object) => call(SANDBOX_MERCHANT.keys.secret, `/api/merchant${path}`, body);
    const make = async (token: string, n: number): Promise<string | null> => {
      const order = { idempotencyKey: `order-${n}`, amountMinor: AMOUNT, currency: "EUR", description: "Two nights" };
      const params = { name: "create_payment_link", arguments: order };
      const answer = await call(token, "/mcp", { jsonrpc: "2.0", id: n, method: "tools/call", params });
      const result = answer?.status === 200 ? member(answer.body, "result") : null;
      return result === null || member(result, "isError") === true ? null : textMember(result, "structuredContent", "id");
    };
    const linksOf = async (): Promise<Map<string, number>> => {
      const links = new Map<string, number>();
      for (let cursor: unknown = ""; cursor !== null; ) {
        const page = await shop(`/payment-links?limit=200${cursor === "" ? "" : `&cursor=${cursor}`}`);
        assert.equal(page?.status, 200);
        for (const link of listOf(member(page.body, "data", "items")))
          links.set(textMember(link, "id"), Number(member(link, "amountMinor")));
        cursor = member(page.body, "data", "next");
      }
      return links;
    };

    const start = async () => {
      const node = startNodeProcess(test, { ...place, environment: { RELAY_SHARDS: "2", ...NO_CLICKHOUSE } });
      await node.ready();
      return node;
    };
    let node = await start();
    const limits = { perLinkMaxMinor: AMOUNT, perDayMinor: 10_000, totalMinor: 10_000, linksPerHour: 1_000 };
    const created = await shop("/agent-credentials", { name: "Agent", scopes: ["links:create"], limits });
    assert.equal(created?.status, 201);
    const token = textMember(created.body, "data", "token");
    const id = textMember(created.body, "data", "credential", "id");

    let asked = 0;
    let unanswered = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const numbers = Array.from({ length: AT_ONCE }, (_, index) => asked + index);
      asked += AT_ONCE;
      const answers = Promise.all(numbers.map((n) => make(token, n)));
      await delay((KILLED_WITHIN_MS * round) / ROUNDS);
      await node.kill();
      const told = await answers;
      node = await start();
      const links = await linksOf();
      const usage = member((await shop(`/agent-credentials/${id}`))?.body, "data", "details", "usage");
      const sum = [...links.values()].reduce((all, amount) => all + amount, 0);
      assert.equal(member(usage, "totalMinor"), sum, "what is taken is what the links come to");
      assert.equal(member(usage, "links"), links.size);
      for (const link of told) assert.ok(link === null || links.has(link), "what was answered is there");
      unanswered += told.filter((link) => link === null).length;
      // Asked again, each of them is there once.
      await delay(1_100);
      for (const n of numbers) assert.ok((await becomesMade(token, n)) !== null);
      assert.equal((await linksOf()).size, asked);
    }
    assert.ok(unanswered > 0, "no request was broken off");

    async function becomesMade(of: string, n: number): Promise<string | null> {
      // A killed request keeps its key for half a minute.
      for (let tries = 0; tries < 60; tries += 1) {
        const made = await make(of, n);
        if (made !== null) return made;
        await delay(1_000);
      }
      return null;
    }
  });
});

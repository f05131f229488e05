import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { event, INTENT_ID, webhookEndpoint } from "./records.ts";
import { assertRefused, startCompat } from "./world.ts";

test("a webhook endpoint from its creation to its end", async (t) => {
  const { send, asked } = await startCompat(t);
  const created = await send("POST", "/webhook_endpoints", {
    form: "url=https://shop.example/webhook&enabled_events[]=payment_intent.succeeded&enabled_events[]=invoice.paid&enabled_events[]=invoice.paid&expand[]=&connect=false&metadata[a]=1",
    headers: { "stripe-version": "2026-03-25.dahlia" },
  });
  assertMatches(created, {
    status: 200,
    body: {
      ...{ object: "webhook_endpoint", secret: "whsec_c2VjcmV0", status: "enabled", api_version: "2026-03-25.dahlia" },
      ...{ enabled_events: ["payment_intent.succeeded", "invoice.paid"], metadata: { a: "1" } },
    },
  });
  assertMatches(asked[0]?.[2], { format: "platform", livemode: false, apiVersion: "2026-03-25.dahlia" });
  const { id } = webhookEndpoint();
  assertMatches(await send("GET", `/webhook_endpoints/${id}`), { status: 200, body: { id, secret: undefined } });
  assertMatches((await send("GET", "/webhook_endpoints?limit=3")).body, { object: "list", data: [{ id, secret: undefined }] });
  const changed = await send("POST", `/webhook_endpoints/${id}`, { form: "disabled=true&metadata[b]=2&enabled_events[]=*" });
  assertMatches(changed.body, { status: "disabled", metadata: { a: "1", b: "2" }, enabled_events: ["*"] });
  assert.deepEqual((await send("DELETE", `/webhook_endpoints/${id}`)).body, { id, object: "webhook_endpoint", deleted: true });
  assert.equal((await send("DELETE", `/webhook_endpoints/${id}`)).status, 404);
});

test("a webhook endpoint's secret is rolled, with a day of overlap unless another is asked for", async (t) => {
  const { send, asked } = await startCompat(t);
  const { id } = webhookEndpoint();
  const roll = (form?: string) => send("POST", `/webhook_endpoints/${id}/roll_secret`, form === undefined ? {} : { form });
  assertRefused(await roll(), 404, { code: "resource_missing", param: "webhook_endpoint" });
  await send("POST", "/webhook_endpoints", { form: "url=https://shop.example/&enabled_events[]=*" });
  asked.length = 0;
  assertMatches(await roll(), { status: 200, body: { id, object: "webhook_endpoint", secret: "whsec_cm9sbGVk" } });
  assertMatches(await roll("expires_in=0"), { status: 200 });
  assertMatches(await roll("expires_in=604800"), { status: 200 });
  assert.deepEqual(
    asked.map(([, , overlapMs]) => overlapMs),
    [86_400_000, 0, 604_800_000],
  );
  for (const wrong of ["604801", "-1", "soon"]) assertRefused(await roll(`expires_in=${wrong}`), 400, { param: "expires_in" });
});

test("a webhook endpoint names the version that it asks for, else the merchant's default, else that of the request that makes it", async (t) => {
  const { send, asked, defaultVersions } = await startCompat(t);
  const create = (form: string, headers: Record<string, string> = {}) =>
    send("POST", "/webhook_endpoints", { form: `url=https://shop.example/&enabled_events[]=*${form}`, headers });
  await create("", { "stripe-version": "2026-03-25.dahlia" });
  await create("", { "stripe-version": "2026-10-28.endive" });
  await create("&api_version=2026-07-29.dahlia");
  await create("");
  defaultVersions.set("SHOP-001", "2025-02-02");
  await create("", { "stripe-version": "2026-03-25.dahlia" });
  await create("&api_version=2026-07-29.dahlia");
  assert.deepEqual(
    asked.map((one) => Reflect.get(Object(one[2]), "apiVersion")),
    ["2026-03-25.dahlia", "2026-10-28.endive", "2026-07-29.dahlia", "2026-10-28.endive", "2025-02-02", "2026-07-29.dahlia"],
  );
  assertRefused(await create("&api_version=latest"), 400, { param: "api_version" });
});

test("any well-formed name of an event may be subscribed to, and a malformed one is refused", async (t) => {
  const { send } = await startCompat(t);
  const names = [
    ...Array.from({ length: 300 }, (_, index) => `invoice.kind_${index}`),
    "v1.billing.meter.no_meter_found",
    "charge.dispute.created",
    "*",
  ];
  const create = (events: readonly string[]) =>
    send("POST", "/webhook_endpoints", { json: { url: "https://shop.example/", enabled_events: events } });
  assertMatches(await create(names), { status: 200, body: { enabled_events: names } });
  for (const malformed of [
    "payment_intent",
    "payment intent.succeeded",
    "Payment_Intent.succeeded",
    ".created",
    "a..b",
    "a.*",
    `a.${"b".repeat(100)}`,
  ]) {
    assertRefused(await create(["payment_intent.succeeded", malformed]), 400, { param: "enabled_events[1]" });
  }
});

test("a webhook endpoint is refused without an address that may be called, or without events", async (t) => {
  const { send, said } = await startCompat(t);
  const create = (form: string, key = "sk_merchant_shop") => send("POST", "/webhook_endpoints", { form, key });
  assertRefused(await create("enabled_events[]=*"), 400, { code: "parameter_missing", param: "url" });
  assertRefused(await create("url=ftp://a&enabled_events[]=*"), 400, { code: "url_invalid", param: "url" });
  assertRefused(await create("url=http://shop.example/&enabled_events[]=*", "sk_merchant_live"), 400, {
    code: "url_invalid",
    param: "url",
  });
  assertRefused(await create("url=https://shop.example/"), 400, { code: "parameter_missing", param: "enabled_events" });
  assertRefused(await create("url=https://shop.example/&enabled_events="), 400, {
    code: "parameter_invalid_empty",
    param: "enabled_events",
  });
  assertRefused(await create("url=https://shop.example/&enabled_events[]=Not+an+event"), 400, { param: "enabled_events[0]" });
  assertRefused(await create("url=https://shop.example/&enabled_events[]=*&connect=true"), 400, { param: "connect" });
  said.fails = new RelayError("invalid_request", "url: must not be an address of a local network");
  assertRefused(await create("url=https://10.0.0.1/&enabled_events[]=*"), 400, { code: "url_invalid", param: "url" });
});

test("events are listed by their types, shown with the reader's version, and sent again", async (t) => {
  const { send, events, asked } = await startCompat(t);
  const { id } = event();
  events.set(id, { event: event(), pending: 2 });
  const headers = { "stripe-version": "2026-07-29.dahlia" };
  assertMatches((await send("GET", `/events/${id}`, { headers })).body, {
    ...{ id, object: "event", api_version: "2026-07-29.dahlia", pending_webhooks: 2, data: { object: { id: INTENT_ID } } },
  });
  const typesFor = async (query: string) => {
    assertMatches(await send("GET", `/events?${query}`), { status: 200, body: { object: "list", data: [{ id }] } });
    return Reflect.get(Object(asked.at(-1)?.[1]), "types");
  };
  assert.equal(await typesFor(""), null);
  assert.deepEqual(await typesFor("type=charge.failed"), ["charge.failed"]);
  assert.deepEqual(await typesFor("type=refund.*"), ["refund.created", "refund.updated", "refund.failed"]);
  assert.deepEqual(await typesFor("types[]=charge.failed&types[]=charge.refunded"), ["charge.failed", "charge.refunded"]);
  assertRefused(await send("GET", "/events?type=a&types[]=b"), 400, { param: "types" });
  assertRefused(await send("GET", "/events?delivery_success=false"), 400, { param: "delivery_success" });
  assertMatches(await send("POST", `/events/${id}/retry`, { form: "webhook_endpoint=we_1" }), { status: 200, body: { id } });
  assert.deepEqual(asked.at(-1), ["retry", id, "we_1"]);
});

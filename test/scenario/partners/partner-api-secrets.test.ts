import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "../../fault/node-process.ts";
import { HttpClient, type HttpRequest } from "../../support/http/http-client.ts";
import { textMember } from "../../support/http/matches.ts";
import { basic } from "../../support/node/node.ts";
import { callBy } from "../../support/people/new-partner-api.ts";

/** A text that nothing else holds by accident. */
const secret = (name: string) => `known-secret-${name}-5f1c8a`;
const pem = (name: string) => `-----BEGIN ${name}-----\n${secret(name)}\n-----END ${name}-----\n`;

/** Every configuration that takes secrets, with the secrets in it; refused ones too. */
const CONFIGURATIONS: { service: string; body: { [member: string]: string }; secrets: string[]; status: number }[] = [
  {
    service: "BANCOMAT_PAY",
    body: { mode: "live", idPg: "1", idNegozio: "2", merchantName: "Bar", certificate: pem("CERTIFICATE"), privateKey: pem("KEY") },
    secrets: [secret("CERTIFICATE"), secret("KEY")],
    status: 200,
  },
  { service: "PAYPAL", body: { mode: "live", clientId: "c", clientSecret: secret("paypal") }, secrets: [secret("paypal")], status: 200 },
  { service: "SHIFT4", body: { mode: "live", merchantId: "m", signatureKey: secret("shift4") }, secrets: [secret("shift4")], status: 200 },
  { service: "SKRILL", body: { mode: "live", secretWord: secret("map") }, secrets: [secret("map")], status: 200 },
  { service: "PAYPAL", body: { mode: "no", clientId: "c", clientSecret: secret("refused") }, secrets: [secret("refused")], status: 400 },
  {
    service: "PAYPAL",
    body: { mode: "live", clientId: "c", clientSecrett: secret("misspelt") },
    secrets: [secret("misspelt")],
    status: 400,
  },
  { service: "NOPE", body: { mode: "live", word: secret("unknown") }, secrets: [secret("unknown")], status: 404 },
];

test("no secret of the Partner API is in the data directory, the logs, the metrics, or an answer but the one that shows it", async (t) => {
  const place = await placeOf(t);
  const node = startNodeProcess(t, { ...place, environment: { ...NO_CLICKHOUSE, RELAY_LOG_LEVEL: "trace", RELAY_SHARDS: "2" } });
  await node.ready();
  const hidden = new Set<string>();
  /** What was answered, less what that answer was to show. */
  const answers: string[] = [];
  const keep = (text: string, shown: string[] = []) => {
    for (const key of shown) hidden.add(key);
    answers.push(shown.reduce((rest, key) => rest.replaceAll(key, ""), text));
  };
  const administrator = new HttpClient(() => node.url, { authorization: basic("admin", "admin") }, "127.0.0.1");

  const record = { username: "acme", gwTml: "T", gwApiKey: "M", gwSecretKey: secret("gateway") };
  const partnerApi = { partnerCode: "ACME", maxMerchants: 10, allowedServices: ["BANCOMAT_PAY", "PAYPAL", "SHIFT4", "SKRILL"] };
  hidden.add(secret("gateway"));
  const made = await administrator.post("/admin/api/partners", { ...record, partnerApi });
  assert.equal(made.status, 201, made.text);
  keep(made.text, [
    textMember(made.body, "partnerApiKeys", "apiKey"),
    textMember(made.body, "partnerApiKeys", "secret"),
    textMember(made.body, "data", "apiKey"),
    textMember(made.body, "generatedPassword"),
  ]);
  const id = /"id":(\d+)/.exec(made.text)?.[1];
  const rotated = await administrator.post(`/admin/api/partners/${id}/generate-partner-api-keys`, { graceSeconds: 60 });
  const apiKey = textMember(rotated.body, "data", "apiKey");
  keep(rotated.text, [apiKey, textMember(rotated.body, "data", "secret")]);

  const call = callBy(new HttpClient(() => node.url, { authorization: `Bearer ${apiKey}` }, "127.0.0.1"));
  const ask = async (method: NonNullable<HttpRequest["method"]>, path: string, body?: unknown, status = 200): Promise<void> => {
    const answer = await call(method, path, body);
    assert.equal(answer.status, status, answer.text);
    keep(answer.text);
  };
  for (const key of ["idempotency-1", "idempotency-1"]) {
    const created = await call("POST", "/merchants", { merchantId: "shop" }, { "idempotency-key": key });
    assert.equal(created.status, 201, created.text);
    // The publishable one is public, and is shown again in the portal.
    keep(created.text, [textMember(created.body, "keys", "secretKey")]);
  }
  const replaced = await call("POST", "/merchants/shop/keys", undefined, { "idempotency-key": "idempotency-2" });
  keep(replaced.text, [textMember(replaced.body, "keys", "secretKey")]);
  for (const { service, body, secrets, status } of CONFIGURATIONS) {
    for (const word of secrets) hidden.add(word);
    await ask("PUT", `/merchants/shop/services/${service}/config`, body, status);
  }
  await ask("PUT", "/merchants/shop/services/PAYPAL/config", { mode: "sandbox", clientId: "d" });
  await ask("POST", "/merchants/shop/services/PAYPAL/enable");
  for (const path of ["/me", "/merchants", "/merchants/shop", "/services", `/merchants/${apiKey}`]) {
    const answer = await call("GET", path);
    keep(answer.text);
  }
  for (const path of ["/admin/api/partners", `/admin/api/partners/${id}`, "/admin/audit?limit=500", "/metrics", "/openapi.json"]) {
    const answer = await administrator.get(path);
    assert.equal(answer.status, 200, path);
    keep(answer.text);
  }

  node.signal("SIGTERM");
  await node.exited;
  const kv = await openEmbeddedKv({ directory: `${place.dataDirectory}/state`, nowMs: Date.now });
  const stored = await kv.scan({ from: "", to: "\u007f", limit: 10_000 });
  await kv.close();
  assert.ok(
    stored.some(({ key }) => key.startsWith("merchant-secret/shop/")),
    "nothing of what is looked for was stored",
  );
  const places: [name: string, text: string][] = [
    ["the answers", answers.join("\n")],
    ["the output", node.output()],
    ["the store", stored.map(({ key, value }) => `${key} ${value}`).join("\n")],
    ...filesIn(place.dataDirectory),
  ];
  assert.ok(hidden.size >= 15, `only ${hidden.size} secrets were looked for`);
  for (const [name, text] of places) {
    for (const word of hidden) assert.ok(!text.includes(word), `${name} holds a secret (${word.slice(0, 20)}...)`);
  }
});

function filesIn(directory: string): [name: string, text: string][] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(directory, name)).isFile())
    .map((name) => [name, readFileSync(join(directory, name), "latin1")]);
}

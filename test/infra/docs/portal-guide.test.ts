import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { PORTAL_EVENT_TYPES, PORTAL_TEST_EVENT } from "../../../engine/webhooks/portal-events.ts";
import { portalSignatures } from "../../../http/webhooks/signatures.ts";
import { surfacesOf } from "../../../infra/node/wiring/shared/endpoints.ts";

const declared = new Set(
  Object.values(surfacesOf({ openTerminalLogs: false, packageBytesMax: 1 }))
    .flat()
    .map(({ method, path }) => `${method} ${path}`),
);

for (const guide of ["portal.md", "mails.md"]) {
  test(`${guide} names only calls that there are`, () => {
    const text = readFileSync(`infra/docs/${guide}`, "utf8");
    const named = [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE)\s+(\/(?:admin|partner|api)\/[^\s`?]+)/g)];
    assert.ok(named.length > 0, "it names none: this test no longer reads it");
    for (const [, method, path] of named) assert.ok(declared.has(`${method} ${path}`), `${method} ${path}`);
  });
}

test("the portal's guide names every event of its format, and its code says of a webhook whether it is the relay's", async () => {
  const guide = readFileSync("infra/docs/portal.md", "utf8");
  const [, table = ""] = /\| event \| when \|[^\n]*\n([\s\S]*?)\n\n/.exec(guide) ?? [];
  const named = [...table.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, name = ""]) => name);
  assert.deepEqual(named.toSorted(), [...PORTAL_EVENT_TYPES, PORTAL_TEST_EVENT].toSorted());
  const [, code] = /```js\n(import \{ createHmac[\s\S]*?)```/.exec(guide) ?? [];
  assert.ok(code !== undefined, "there is no code");
  const { isFromPortal } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const [secret, text] = [`whsec_${Buffer.alloc(32, 7).toString("base64")}`, '{"id":"evt_1"}'];
  const { "X-Gateway-Signature": signature } = portalSignatures({ id: "evt_1", body: text, atMs: 1 }, [secret]);
  assert.equal(isFromPortal(Buffer.from(text), signature, secret), true);
  assert.equal(isFromPortal(Buffer.from(`${text} `), signature, secret), false);
  assert.equal(isFromPortal(Buffer.from(text), signature, `${secret}x`), false);
  assert.equal(isFromPortal(Buffer.from(text), "nothing", secret), false);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Endpoint, Method } from "../../../http/endpoint/endpoint.ts";
import { surface } from "../../../http/endpoint/surface.ts";
import { relayEnvelope } from "../../../http/surfaces/parts/relay-envelope.ts";

function endpointOf(method: Method, deadlineMs?: number): Endpoint<object> {
  const slow = surface<object>()({ name: "slow", tags: [], envelope: relayEnvelope, changeDeadlineMs: 20_000 });
  return slow.endpoint({
    name: "change",
    method,
    path: "/change",
    summary: "Changes something",
    auth: "admin",
    role: "operator",
    machine: "never",
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    responses: { 204: { description: "Done." } },
    handle: () => ({ status: 204 }),
  });
}

test("the changes of a surface have its deadline, but where an endpoint names its own", () => {
  for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) assert.equal(endpointOf(method).deadlineMs, 20_000);
  assert.equal(endpointOf("GET").deadlineMs, undefined);
  assert.equal(endpointOf("POST", 30_000).deadlineMs, 30_000);
});

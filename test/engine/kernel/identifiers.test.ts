import assert from "node:assert/strict";
import { test } from "node:test";
import { hasUuidForm, isSameUuid, uuidKey } from "../../../engine/kernel/identifiers.ts";

const SMALL = "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11";

for (const [uuid, key] of [
  [SMALL, SMALL],
  [SMALL.toUpperCase(), SMALL],
  ["7D9f0A52-6c2e-4a83-9f5d-2c1d0d1b8f11", SMALL],
  ["00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"],
  ["7D9F0A526C2E4A839F5D2C1D0D1B8F11", "7D9F0A526C2E4A839F5D2C1D0D1B8F11"],
  ["7D9F0A52-6C2E-4A83-9F5D-2C1D0D1B8F1G", "7D9F0A52-6C2E-4A83-9F5D-2C1D0D1B8F1G"],
  ["7D9F0A52.6C2E.4A83.9F5D.2C1D0D1B8F11", "7D9F0A52.6C2E.4A83.9F5D.2C1D0D1B8F11"],
  ["7D9F0A52-6C2E-4A83-9F5D2-C1D0D1B8F11", "7D9F0A52-6C2E-4A83-9F5D2-C1D0D1B8F11"],
  ["ORDER-1", "ORDER-1"],
  ["A", "A"],
] as const) {
  test(`${uuid} is kept as ${key}`, () => assert.equal(uuidKey(uuid), key));
}

test("two texts are the same uuid where only the letters of its form differ", () => {
  assert.equal(isSameUuid(SMALL, SMALL.toUpperCase()), true);
  assert.equal(isSameUuid(SMALL, SMALL), true);
  assert.equal(isSameUuid(SMALL, SMALL.replace("7", "8")), false);
  assert.equal(isSameUuid("order-1", "ORDER-1"), false);
});

test("the form of a uuid is known in whatever letters", () => {
  const forms = [SMALL, SMALL.toUpperCase(), "order-1", `${SMALL}0`, SMALL.replaceAll("-", "")];
  assert.deepEqual(forms.map(hasUuidForm), [true, true, false, false, false]);
});

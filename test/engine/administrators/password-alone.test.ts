import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdministratorFactors } from "../../../engine/administrators/administrator-factors-store.ts";
import { createPasswordAlone } from "../../../engine/administrators/password-alone.ts";
import type { SigningAdministrator } from "../../../engine/administrators/signing-administrators.ts";

const admin = (username: string, role: SigningAdministrator["role"] = "owner", isConfigured = false): SigningAdministrator => ({
  ...{ accountId: `adm_${username}`, username, role, isConfigured, mark: "" },
});
const ALL = [admin("head", "owner", true), admin("anna"), admin("olga", "operator")];

function alone(isSandbox: boolean, enrolled: readonly string[]) {
  return createPasswordAlone({
    isSandbox,
    administrators: {
      byUsername: (username) => ALL.find((one) => one.username === username) ?? null,
      byAccountId: () => null,
      owners: () => ALL.filter(({ role }) => role === "owner"),
      accountIdOf: () => null,
    },
    factors: {
      load: async (accountId, username) => {
        const totp = enrolled.includes(username) ? { sealedSecret: "sealed", lastStep: 0, enrolledAtMs: 1 } : null;
        const record: AdministratorFactors = { schema: 1, accountId, username, totp, passkeys: [], recoveryCodes: [], updatedAtMs: 0 };
        return { record, version: 0 };
      },
    },
  });
}

const cases: [mode: "sandbox" | "production", enrolled: string[], username: string, first: boolean, expected: boolean][] = [
  ["production", [], "head", false, false],
  ["production", [], "head", true, true],
  ["production", ["olga"], "head", true, true],
  ["production", ["anna"], "head", true, false],
  ["production", ["head"], "anna", true, false],
  ["production", ["head"], "head", false, false],
  ["sandbox", [], "anna", false, true],
  ["sandbox", ["anna"], "anna", false, false],
  ["sandbox", ["anna"], "anna", true, false],
  ["sandbox", ["anna"], "olga", false, true],
  ["sandbox", ["head"], "head", false, true],
];
for (const [mode, enrolled, username, first, expected] of cases) {
  const what = first ? "create the first administrators" : "administer people";
  test(`in ${mode}, where ${enrolled.join() || "nobody"} has a second factor, ${username}'s password alone ${expected ? "may" : "may not"} ${what}`, async () => {
    assert.equal(await alone(mode === "sandbox", enrolled)(username, first), expected);
  });
}

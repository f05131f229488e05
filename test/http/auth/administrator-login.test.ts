import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuthenticator } from "../../../http/auth/authenticator.ts";
import type { AdministratorCredential, CredentialSource } from "../../../http/auth/credential-source.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { hashPassword } from "../../../http/auth/partner-password.ts";
import { basic } from "../../support/node/node.ts";

const OPERATOR = { type: "administrator", username: "anna", role: "operator" };

function world(administrators: AdministratorCredential[]) {
  const state = { generation: 1, administrators };
  const source: CredentialSource = {
    generation: () => state.generation,
    machineByName: () => null,
    administratorByUsername: (username) => state.administrators.find((one) => one.username === username) ?? null,
    fleet: () => null,
    terminalSecret: () => null,
    isTerminalDenied: () => false,
    managedBy: () => null,
    partnerByUsername: () => null,
    partnerByKeySha256: () => null,
    isOriginListed: () => false,
  };
  const authenticator = createAuthenticator(source, () => 0);
  const login = (requirement: "admin" | "basic", authorization: string, ipAddress: string) =>
    authenticator.authenticate(requirement, { authorization, apiKey: "", origin: "", cookie: "", ipAddress });
  const change = (changed: AdministratorCredential[]) => {
    state.administrators = changed;
    state.generation += 1;
  };
  return { login, change };
}

for (const requirement of ["admin", "basic"] as const) {
  test(`${requirement}: a chosen password is checked slowly once, and a change of it, of the role and the end hold at once`, async () => {
    const hash = await hashPassword("a chosen password");
    const anna = { username: "anna", role: "operator", password: { type: "slow", hash } } as const;
    const { login, change } = world([anna]);
    const right = basic("anna", "a chosen password");
    assert.equal((await login(requirement, basic("anna", "a wrong password"), "192.0.2.1")).type, "refused");
    assert.equal((await login(requirement, basic("Anna", "a chosen password"), "192.0.2.1")).type, "refused");
    const first = login(requirement, right, "192.0.2.2");
    assert.ok(first instanceof Promise);
    assert.deepEqual(await first, OPERATOR);
    assert.deepEqual(login(requirement, right, "192.0.2.2"), OPERATOR);
    change([{ ...anna, role: "read-only" }]);
    assert.deepEqual(await login(requirement, right, "192.0.2.2"), { ...OPERATOR, role: "read-only" });
    change([{ ...anna, password: { type: "slow", hash: await hashPassword("another password") } }]);
    assert.equal((await login(requirement, right, "192.0.2.3")).type, "refused");
    assert.deepEqual(await login(requirement, basic("anna", "another password"), "192.0.2.3"), OPERATOR);
    change([{ ...anna, password: { type: "sha256", hex: sha256Hex("generated") } }]);
    assert.equal((await login(requirement, basic("anna", "another password"), "192.0.2.3")).type, "refused");
    assert.deepEqual(await login(requirement, basic("anna", "generated"), "192.0.2.3"), OPERATOR);
    change([]);
    assert.equal((await login(requirement, basic("anna", "generated"), "192.0.2.4")).type, "refused");
  });

  test(`${requirement}: who was removed or downgraded while the password was checked gets what holds then`, async () => {
    const hash = await hashPassword("a chosen password");
    const anna = { username: "anna", role: "operator", password: { type: "slow", hash } } as const;
    const right = basic("anna", "a chosen password");
    const one = world([anna]);
    const downgraded = one.login(requirement, right, "192.0.2.1");
    one.change([{ ...anna, role: "read-only" }]);
    assert.deepEqual(await downgraded, { ...OPERATOR, role: "read-only" });
    const other = world([anna]);
    const removed = other.login(requirement, right, "192.0.2.1");
    other.change([]);
    assert.equal((await removed).type, "refused");
  });
}

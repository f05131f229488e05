import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import type { TestContext } from "node:test";
import type { Answer } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { packageBytes, upload } from "../../support/people/package-upload.ts";

export interface TestVersion {
  id: number;
  versionCode: number;
  bytes: Buffer;
  /** Path and query of the address that the administrator is shown. */
  path: string;
}

export const md5 = (bytes: Buffer) => createHash("md5").update(bytes).digest("hex");

export function numberMember(value: unknown, ...path: string[]): number {
  const found = member(value, ...path);
  assert.ok(typeof found === "number", `${path.join(".")} is not a number in ${JSON.stringify(value)}`);
  return found;
}

/** Versions, packages and deployments as an administrator and terminals see them; version codes come from `codesFrom` on. */
export function appWorld(relay: Relay, codesFrom: number) {
  let codes = codesFrom;

  /** A version code of this world's own, with room for nine above it. */
  function newCode(): number {
    codes += 10;
    return codes;
  }

  /** A version without a package; deleted after the test, so that no other test sees its deployments. */
  async function createVersion(t: TestContext, members: { [member: string]: unknown } = {}): Promise<{ id: number; versionCode: number }> {
    const versionCode = newCode();
    const created = await relay.administrator().post("/admin/app-versions", { versionCode, versionName: `v${versionCode}`, ...members });
    assert.equal(created.status, 200, created.text);
    const id = numberMember(created.body, "data", "id");
    t.after(async () => {
      await relay.administrator().send(`/admin/app-versions/${id}`, { method: "DELETE" });
    });
    return { id, versionCode: numberMember(created.body, "data", "versionCode") };
  }

  async function createUploaded(t: TestContext, members: { [member: string]: unknown } = {}): Promise<TestVersion> {
    const version = await createVersion(t, members);
    const bytes = packageBytes(10_000);
    const uploaded = await upload(relay.administrator(), version.id, bytes);
    assert.equal(uploaded.status, 200, uploaded.text);
    const shown = await show(version.id);
    return { ...version, bytes, path: pathOf(textMember(shown, "apkUrl")) };
  }

  async function show(id: number): Promise<unknown> {
    const { body } = await relay.administrator().get("/admin/app-versions");
    const found = listOf(member(body, "data")).find((version) => member(version, "id") === id);
    assert.notEqual(found, undefined, `version ${id} is not listed`);
    return found;
  }

  function pathOf(url: string): string {
    const { pathname, search } = new URL(url);
    return pathname + search;
  }

  async function deploy(version: { id: number }, where: "terminal" | "merchant" | "global", body?: unknown): Promise<number> {
    const answer = await relay.administrator().post(`/admin/app-versions/${version.id}/deploy-${where}`, body);
    assert.equal(answer.status, 200, answer.text);
    assertMatches(answer.body, { status: "ok", data: { versionId: version.id, target: where } });
    return numberMember(answer.body, "data", "id");
  }

  /** What a terminal is offered: the version code, or null for 204. */
  async function offered(terminalId: string, current?: number): Promise<number | null> {
    const answer = await check(terminalId, current);
    if (answer.status === 204) {
      assert.equal(answer.text, "");
      return null;
    }
    assert.equal(answer.status, 200, answer.text);
    return numberMember(answer.body, "data", "versionCode");
  }

  function check(terminalId: string, current?: number): Promise<Answer> {
    const query = current === undefined ? "" : `&currentVersionCode=${current}`;
    return relay.fleet().get(`/api/v1/app/version?terminalId=${terminalId}${query}`);
  }

  async function deployment(id: number): Promise<unknown> {
    const { body } = await relay.administrator().get("/admin/app-deployments?limit=500");
    const found = listOf(member(body, "data")).find((one) => member(one, "id") === id);
    assert.notEqual(found, undefined, `deployment ${id} is not listed`);
    return found;
  }

  /** With the credential of the fleet: it counts. */
  function report(terminalId: string, versionCode: number, status: string, more: object = {}): Promise<Answer> {
    return relay.fleet().post("/api/v1/app/install-log", { terminalId, versionCode, status, ...more });
  }

  /** Every file of packages that there is, wherever the nodes keep them. */
  async function packageFiles(): Promise<string[]> {
    const folders = relay.packageDirectories();
    const found = await Promise.all(folders.map((folder) => readdir(folder, { recursive: true }).catch(() => [])));
    return found.flat().filter((name) => name.includes(".apk") || name.includes(".upload"));
  }

  return { newCode, createVersion, createUploaded, show, pathOf, deploy, offered, check, deployment, report, packageFiles };
}

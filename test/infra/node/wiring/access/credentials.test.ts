import assert from "node:assert/strict";
import { it } from "node:test";
import { StorageUnavailable } from "../../../../../engine/kernel/kv.ts";
import { sha256Hex } from "../../../../../http/auth/digest.ts";
import { readConfig } from "../../../../../infra/node/boot/config.ts";
import { administratorPassword } from "../../../../../infra/node/wiring/access/credentials.ts";
import { MemoryKv } from "../../../../engine/kernel/memory-kv.ts";

it("shows only an administrator password that an earlier attempt stored without a confirmation", async () => {
  const config = { ...readConfig({}), administrator: { username: "admin", password: null, email: null } };
  const kv = new MemoryKv();
  kv.fate = () => "answer lost";
  await assert.rejects(administratorPassword(kv, config, "the password of this start"), StorageUnavailable);
  const sha256 = sha256Hex("the password of this start");
  assert.deepEqual(await administratorPassword(kv, config, "the password of this start"), {
    sha256,
    generated: "the password of this start",
  });
  assert.deepEqual(await administratorPassword(kv, config, "another start's"), { sha256, generated: null });
});

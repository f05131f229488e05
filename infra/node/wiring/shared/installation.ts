import { randomBytes } from "node:crypto";
import type { Kv } from "../../../../engine/kernel/kv.ts";

/**
 * Identifies the folders of this installation. If two installations share a folder by mistake, they
 * do not delete each other's files.
 */
const INSTALLATION = "app/installation";

export async function installationOf(kv: Kv): Promise<string> {
  const known = await kv.get(INSTALLATION);
  if (known !== null) return known.value;
  const value = randomBytes(8).toString("hex");
  const created = await kv.commit({
    checks: [{ key: INSTALLATION, version: 0 }],
    operations: [{ type: "put", key: INSTALLATION, value }],
  });
  return created.type === "committed" ? value : installationOf(kv);
}

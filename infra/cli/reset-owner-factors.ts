/**
 * `npm run reset-owner-factors`: takes the second factors from the owner of the configuration, who
 * has lost them.
 */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { createSessionStoreAt } from "../../engine/accounts/session-store.ts";
import { createAdministratorFactorsStore } from "../../engine/administrators/administrator-factors-store.ts";
import { ADMINISTRATOR_SESSIONS, type AdministratorSession } from "../../engine/administrators/administrator-session.ts";
import { createOwnerNotice } from "../../engine/administrators/owner-notice.ts";
import { createResetAdministratorFactors } from "../../engine/administrators/reset-administrator-factors.ts";
import { configuredAccountId } from "../../engine/administrators/signing-administrators.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { createAuditStore } from "../../engine/operators/audit-store.ts";
import { sha256Hex } from "../../http/auth/digest.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { openRedisKv } from "../../storage/kv/redis.ts";
import { checkSchemaMark } from "../../storage/schemas/schema-mark.ts";
import { commandLine } from "../command-line.ts";
import { type Config, readConfig } from "../node/boot/config.ts";
import { ConfigRefused } from "../node/boot/config-reader.ts";
import { withEnvironmentFile } from "../node/boot/environment-file.ts";
import { createSecretBox } from "../node/boot/secret-box.ts";

const clock = { nowMs: () => Date.now() };

async function openStore({ cluster, dataDirectory }: Config): Promise<Kv> {
  if (cluster !== null) return openRedisKv({ url: cluster.redisUrl, refuseProblems: false });
  const directory = join(dataDirectory, "state");
  if (!existsSync(directory)) throw new Error(`there is no ${directory}; set RELAY_DATA_DIR as for the relay`);
  return openEmbeddedKv({ directory, nowMs: clock.nowMs });
}

/** Who runs the command, for the audit log; a container may know no name. */
function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}

async function reset(kv: Kv, config: Config): Promise<string | null> {
  const { username, email } = config.administrator;
  const ids = { uuid: randomUUID };
  const audit = createAuditStore({
    kv,
    writer: `command-line-${randomUUID().slice(0, 8)}`,
    failed: (what, error) => console.error(`${what}: ${error instanceof Error ? error.message : String(error)}`),
  });
  const notice = createOwnerNotice({ email, box: createSecretBox(config.secretKeys), ids, clock });
  const resetFactors = createResetAdministratorFactors({
    factors: createAdministratorFactorsStore(kv),
    sessions: createSessionStoreAt<AdministratorSession>(kv, clock.nowMs, ADMINISTRATOR_SESSIONS),
    clock,
  });
  const entry = {
    ...{ atMs: clock.nowMs(), actor: "command-line", username: operator(), ipAddress: "", requestId: "" },
    ...{ action: "administrator.reset-factors", subject: username, members: [], outcome: { type: "begun" } as const },
  };
  const id = await audit.record(entry);
  let isMailed = false;
  await resetFactors({ accountId: configuredAccountId(sha256Hex, username), username }, async () => {
    const told = notice("all removed by a command", null);
    isMailed = told !== null;
    return [told];
  });
  await audit.settle(id, entry, { type: "done" });
  return isMailed ? email : null;
}

async function run(): Promise<void> {
  const config = readConfig(withEnvironmentFile(process.env));
  const kv = await openStore(config);
  try {
    await checkSchemaMark(kv);
    const mailedTo = await reset(kv, config);
    console.log(
      `${config.administrator.username} has no second factor any more, and its sessions have ended: the next sign-in at /admin enrols a new factor.`,
    );
    console.log(mailedTo === null ? "No mail was sent, because RELAY_ADMIN_EMAIL is not set." : `${mailedTo} receives a mail about it.`);
  } finally {
    await kv.close();
  }
}

const program = commandLine("reset-owner-factors").description(
  "Removes the second factors of the owner from the configuration (RELAY_ADMIN_USERNAME), who has lost them, and ends the owner's sessions. It reads the same configuration as the relay " +
    "(environment, RELAY_ENV_FILE). With the embedded store the relay must be stopped; with Redis it may run. The command writes to the audit log, and sends a mail to RELAY_ADMIN_EMAIL.",
);

program.action(run);
program.parseAsync().catch((error: unknown) => {
  if (error instanceof ConfigRefused) program.error(error.message);
  program.error(error instanceof Error ? error.message : String(error));
});

import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { childProgram } from "../../storage/clickhouse/embedded/child-program.ts";
import { startDetached } from "./detached-process.ts";
import { hasProgram } from "./run-command.ts";
import type { StartedService } from "./service-state.ts";

const KEEPER_FILE = fileURLToPath(new URL("./clickhouse-keeper.ts", import.meta.url));
const PING_TIMEOUT_MS = 1_000;
const PAUSE_MS = 50;

/** The user that the relay's nodes share; its password is generated once per folder. */
const USERNAME = "relay";

/** `clickhouse` if it is installed, else the relay's own embedded one under a keeper. Both use HTTP on `port`. */
export async function startClickHouseService(directory: string, port: number): Promise<StartedService | { missing: string }> {
  const password = await clickHousePassword(directory);
  const binary = await hasProgram("clickhouse", ["--version"]);
  const { pid, marker } = binary ? await startBinary(directory, port, password) : await startKeeper(directory, port);
  return {
    pid,
    marker,
    answers: () => answersPing(port),
    variable: { name: "RELAY_CLICKHOUSE_URL", value: await clickHouseUrl(directory, port) },
  };
}

/** The address with user and password, in the form of RELAY_CLICKHOUSE_URL. */
export async function clickHouseUrl(directory: string, port: number): Promise<string> {
  return `http://${USERNAME}:${await clickHousePassword(directory)}@127.0.0.1:${port}`;
}

/** Stored in the service's folder, readable by its owner only. */
export async function clickHousePassword(directory: string): Promise<string> {
  const file = join(directory, "password");
  await writeFile(file, randomBytes(18).toString("base64url"), { mode: 0o600, flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  return readFile(file, "utf8");
}

async function startKeeper(directory: string, port: number): Promise<{ pid: number; marker: string }> {
  const args = [...childProgram("./clickhouse-keeper", import.meta.url), directory, String(port)];
  const pid = await startDetached(process.execPath, args, join(directory, "clickhouse.log"));
  return { pid, marker: `${KEEPER_FILE} ${directory} ` };
}

async function startBinary(directory: string, port: number, password: string): Promise<{ pid: number; marker: string }> {
  const configFile = join(directory, "server.xml");
  const usersFile = join(directory, "server-users.xml");
  const data = join(directory, "server");
  await mkdir(data, { recursive: true, mode: 0o700 });
  await writeFile(
    configFile,
    `<clickhouse>
  <logger><level>warning</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${port}</http_port>
  <path>${data}/</path>
  <tmp_path>${data}/tmp/</tmp_path>
  <user_files_path>${data}/user_files/</user_files_path>
  <user_directories><users_xml><path>${usersFile}</path></users_xml></user_directories>
</clickhouse>
`,
  );
  await writeFile(
    usersFile,
    `<clickhouse>
  <profiles><default></default></profiles>
  <quotas><default></default></quotas>
  <users>
    <${USERNAME}>
      <password>${password}</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <access_management>1</access_management>
    </${USERNAME}>
  </users>
</clickhouse>
`,
    { mode: 0o600 },
  );
  const pid = await startDetached("clickhouse", ["server", `--config-file=${configFile}`], join(directory, "clickhouse.log"));
  return { pid, marker: configFile };
}

async function answersPing(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/ping`, { signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
    return response.ok;
  } catch {
    await delay(PAUSE_MS);
    return false;
  }
}

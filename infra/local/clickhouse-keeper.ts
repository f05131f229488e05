/** Runs the embedded ClickHouse, which ends with the process that started it. Started by clickhouse.ts: <directory> <port>. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { ADMIN_USERNAME, startEmbeddedClickHouse } from "../../storage/clickhouse/embedded/supervisor.ts";
import { clickHousePassword } from "./clickhouse.ts";

const [directory, port] = process.argv.slice(2);
if (directory === undefined || port === undefined) throw new Error("usage: clickhouse-keeper <directory> <port>");

const clickhouse = await startEmbeddedClickHouse({
  directory: join(directory, "embedded"),
  host: "127.0.0.1",
  port: Number(port),
  adminPassword: await clickHousePassword(directory),
  readerUsername: "analyst",
  // The analyst's password is random and not shown: nobody uses this one as an analyst.
  readerPassword: randomBytes(18).toString("base64url"),
  onLog: (event) => console.log(JSON.stringify({ at: new Date().toISOString(), ...event })),
});
console.log(`ClickHouse as ${ADMIN_USERNAME} at ${clickhouse.url}`);
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    void clickhouse.stop().then(() => process.exit(0));
  });
}

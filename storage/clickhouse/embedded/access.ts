import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Everything; the relay's own queries. */
export const OWNER_ROLE = "owner";

/** What the engine calls itself (`displayName()`), instead of by the name of its machine. */
export const DISPLAY_NAME = "terminal-relay";

/** Reads the relay's tables and views, nothing else. */
export const ANALYST_ROLE = "analyst";

/**
 * Writes the engine's configuration beside its data. Returns the paths of both. The engine has one user; the role of a connection
 * determines its rights.
 */
export function prepareDirectory(directory: string): { dataPath: string; configPath: string } {
  const dataPath = join(directory, "data");
  const configPath = join(directory, "config.xml");
  const usersPath = join(directory, "users.xml");
  mkdirSync(dataPath, { recursive: true, mode: 0o700 });
  const config = `<display_name>${DISPLAY_NAME}</display_name><users_config>${escapeXml(usersPath)}</users_config>`;
  writeFileSync(configPath, `<clickhouse>${config}</clickhouse>\n`, { mode: 0o600 });
  writeFileSync(usersPath, USERS, { mode: 0o600 });
  return { dataPath, configPath };
}

const USERS = `<clickhouse>
  <profiles><default></default></profiles>
  <quotas><default></default></quotas>
  <roles>
    <${OWNER_ROLE}><grants><query>GRANT ALL ON *.*</query></grants></${OWNER_ROLE}>
    <${ANALYST_ROLE}><grants><query>GRANT SELECT ON relay.*</query></grants></${ANALYST_ROLE}>
  </roles>
  <users>
    <default>
      <password></password>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants><query>GRANT ${OWNER_ROLE}, ${ANALYST_ROLE}</query></grants>
    </default>
  </users>
</clickhouse>
`;

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

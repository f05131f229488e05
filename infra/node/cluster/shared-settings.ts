import { createHmac } from "node:crypto";
import type { Config } from "../boot/config.ts";

/**
 * Settings that have to be the same on all nodes of a cluster (infra/docs/configuration.md), as published to the others: by variable, a
 * digest under the secret key, so that Redis does not reveal the values. `key` identifies the key: during its rotation digests cannot be
 * compared.
 */
export interface SharedSettings {
  readonly key: string;
  readonly digests: { readonly [variable: string]: string };
}

const DIGEST_LENGTH = 16;

export function sharedSettings(config: Config): SharedSettings {
  const values: { [variable: string]: unknown } = {
    RELAY_MODE: config.mode,
    RELAY_ADMIN_USERNAME: config.administrator.username,
    RELAY_ADMIN_PASSWORD: config.administrator.password,
    RELAY_TERMINAL_SECRET: config.terminalSecret,
    RELAY_TERMINAL_USERNAME: config.fleet?.username,
    RELAY_TERMINAL_PASSWORD: config.fleet?.password,
    RELAY_SANDBOX_API_KEY: config.sandboxApiKey,
    RELAY_SERVICE_PREFIX: config.servicePrefix,
    RELAY_PUBLIC_URL: config.publicUrl,
    RELAY_ADAPTER_CONTEXT_PATH: config.adapterContextPath,
    RELAY_PACKAGE_DIR: config.packageDirectory,
    RELAY_PACKAGE_MEGABYTES_MAX: config.packageBytesMax,
    RELAY_EXPORT_DIR: config.exportDirectory,
    RELAY_EXPORT_GIGABYTES_MAX: config.exportBytesMax,
    RELAY_SMTP_URL: config.smtp === null ? null : { ...config.smtp, from: null },
    RELAY_MAIL_FROM: config.smtp?.from,
    RELAY_TIME_ZONE: config.timeZone,
    RELAY_UUID_RETENTION_DAYS: config.uuidRetentionDays,
    RELAY_RESULT_RETENTION_DAYS: config.resultRetentionDays,
    RELAY_LOG_RETENTION_DAYS: config.logRetentionDays,
    RELAY_OPEN_TERMINAL_LOGS: config.openTerminalLogs,
    RELAY_PARTNER_DEFAULT_RULE: config.partnerDefaultRule,
    // Each node of the sandbox may have its own gateway.
    RELAY_GATEWAY_URL: config.mode === "sandbox" ? null : config.gatewayUrl,
  };
  const digest = (name: string, value: unknown) =>
    createHmac("sha256", config.secretKeys.current)
      .update(`${name} ${JSON.stringify(value ?? null)}`)
      .digest("hex")
      .slice(0, DIGEST_LENGTH);
  return {
    key: digest("key", null),
    digests: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, digest(name, value)])),
  };
}

/** The variables whose values differ between two nodes, as far as they can be compared: other versions may know other variables. */
export function differingSettings(one: SharedSettings, other: SharedSettings): string[] {
  if (one.key !== other.key) return [];
  return Object.entries(one.digests).flatMap(([name, digest]) => ((other.digests[name] ?? digest) === digest ? [] : name));
}

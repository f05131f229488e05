import type { Config } from "../../boot/config.ts";

/**
 * The address under which people open the portal, without `/portal`: in mails, and what passkeys belong to. A sandbox without RELAY_PUBLIC_URL is opened as
 * `localhost`, since passkeys need a name.
 */
export function portalUrl({ mode, publicUrl }: Pick<Config, "mode" | "publicUrl">, listening: string): string {
  return mode === "sandbox" && publicUrl === null ? listening.replace("//127.0.0.1:", "//localhost:") : listening;
}

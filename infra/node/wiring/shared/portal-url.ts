import type { Config } from "../../boot/config.ts";

/**
 * Returns the address of the portal without `/portal`, which mails contain and passkeys belong to.
 * A sandbox without RELAY_PUBLIC_URL uses `localhost`, because passkeys need a name.
 */
export function portalUrl({ mode, publicUrl }: Pick<Config, "mode" | "publicUrl">, listening: string): string {
  return mode === "sandbox" && publicUrl === null ? listening.replace("//127.0.0.1:", "//localhost:") : listening;
}

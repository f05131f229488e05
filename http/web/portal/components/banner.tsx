import type { ComponentChildren } from "preact";
import { Icon } from "./icon.tsx";

export type BannerKind = "info" | "warning" | "danger" | "success";

const ICONS = { info: "info", warning: "warning", danger: "warning", success: "check" } as const;

/** Shows a message about the content below. Screen readers announce it if `alert` is set. */
export function Banner({ kind = "info", alert, children }: { kind?: BannerKind; alert?: boolean; children: ComponentChildren }) {
  return (
    <div class={`banner banner-${kind}`} role={alert === true ? "alert" : undefined}>
      <Icon name={ICONS[kind]} size={18} />
      <div class="banner-text">{children}</div>
    </div>
  );
}

import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

/** Says that there is nothing here, and what to do about it. */
export function EmptyState({
  icon = "inbox",
  title,
  children,
  action,
}: {
  icon?: IconName;
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={26} />
      </span>
      <p class="empty-title">{title}</p>
      {children !== undefined && <p class="empty-text">{children}</p>}
      {action !== undefined && <div class="empty-action">{action}</div>}
    </div>
  );
}

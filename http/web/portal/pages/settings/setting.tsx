import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "../../components/icon.tsx";

/** Shows one setting, its state and its actions. */
export function Setting({
  icon,
  title,
  badge,
  children,
  actions,
}: {
  icon: IconName;
  title: string;
  badge?: ComponentChildren;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <div class="list-item">
      <div class="list-main">
        <span class="list-icon">
          <Icon name={icon} />
        </span>
        <div>
          <div class="list-title">
            <h3>{title}</h3>
            {badge}
          </div>
          {children !== undefined && <div class="list-text">{children}</div>}
        </div>
      </div>
      {actions !== undefined && <div class="button-row">{actions}</div>}
    </div>
  );
}

import { text } from "../i18n/texts.ts";
import { Icon } from "./icon.tsx";

/** Lists what a role may do and what it may not do. */
export function RoleRights({ can, cannot }: { can: readonly string[]; cannot: readonly string[] }) {
  const { roleRights: words } = text();
  return (
    <div class="role-rights">
      <RightsList title={words.can} rights={can} icon="check" />
      {cannot.length > 0 && <RightsList title={words.cannot} rights={cannot} icon="close" />}
    </div>
  );
}

function RightsList({ title, rights, icon }: { title: string; rights: readonly string[]; icon: "check" | "close" }) {
  return (
    <div>
      <p class="field-label">{title}</p>
      <ul class={`rights rights-${icon}`}>
        {rights.map((right) => (
          <li key={right}>
            <Icon name={icon} size={16} />
            {right}
          </li>
        ))}
      </ul>
    </div>
  );
}

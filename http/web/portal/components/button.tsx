import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icon.tsx";

export type ButtonKind = "primary" | "secondary" | "quiet" | "danger" | "danger-quiet";

interface Look {
  children: ComponentChildren;
  kind?: ButtonKind | undefined;
  icon?: IconName | undefined;
  small?: boolean | undefined;
  wide?: boolean | undefined;
}

export interface ButtonProps extends Look {
  onClick?: (() => void) | undefined;
  type?: "button" | "submit";
  /** The action is running: the button keeps its place and does nothing. */
  busy?: boolean;
  disabled?: boolean;
  /** The text for screen readers, if the visible text is not enough. */
  label?: string;
  /** The button shows and hides the part of the page with this id. */
  expands?: { id: string; open: boolean };
}

/** A busy button keeps its focus, which a disabled one would lose. */
export function Button({
  children,
  kind = "secondary",
  icon,
  small,
  wide,
  onClick,
  type = "button",
  busy,
  disabled,
  label,
  expands,
}: ButtonProps) {
  return (
    <button
      type={type}
      class={classOf({ kind, small, wide })}
      disabled={disabled === true}
      aria-disabled={busy === true ? "true" : undefined}
      aria-busy={busy === true ? "true" : undefined}
      aria-label={label}
      aria-expanded={expands?.open}
      aria-controls={expands?.open === true ? expands.id : undefined}
      onClick={(event) => {
        if (busy === true) event.preventDefault();
        else onClick?.();
      }}
    >
      {icon !== undefined && <Icon name={icon} size={small === true ? 16 : 18} />}
      <span>{children}</span>
    </button>
  );
}

/** A link that looks like a button. It opens a page or downloads a file. */
export function ButtonLink({
  children,
  href,
  kind = "secondary",
  icon,
  small,
  wide,
  download,
  newTab,
}: Look & { href: string; download?: string | boolean; newTab?: boolean }) {
  return (
    <a
      class={classOf({ kind, small, wide })}
      href={href}
      download={download}
      {...(newTab === true ? { target: "_blank", rel: "noopener noreferrer" } : {})}
    >
      {icon !== undefined && <Icon name={icon} size={small === true ? 16 : 18} />}
      <span>{children}</span>
    </a>
  );
}

export function IconButton({
  icon,
  label,
  onClick,
  disabled,
  describedBy,
}: {
  icon: IconName;
  label: string;
  onClick: () => void;
  disabled?: boolean;
  /** The id of an element that says to what the button belongs. */
  describedBy?: string;
}) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      aria-describedby={describedBy}
      title={label}
      disabled={disabled === true}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

function classOf({ kind, small, wide }: { kind: ButtonKind; small?: boolean | undefined; wide?: boolean | undefined }): string {
  return `button button-${kind}${small === true ? " button-small" : ""}${wide === true ? " button-wide" : ""}`;
}

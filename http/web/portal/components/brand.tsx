import { text } from "../i18n/texts.ts";

/** The portal's logo, which equals icon.svg, and its name. */
export function Brand({ href, className = "" }: { href?: string; className?: string }) {
  const { name } = text().app;
  const content = (
    <>
      <svg class="brand-mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <rect width="32" height="32" rx="9" fill="#3557e0" />
        <path d="M8.5 20.5 14 15l4 4 5.5-7" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round" />
        <circle cx="23.5" cy="12" r="2.1" fill="#fff" />
      </svg>
      <span class="brand-name">{name}</span>
    </>
  );
  return href === undefined ? (
    <div class={`brand ${className}`.trim()}>{content}</div>
  ) : (
    <a class={`brand ${className}`.trim()} href={href} aria-label={name}>
      {content}
    </a>
  );
}

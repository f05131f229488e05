import type { ComponentChildren } from "preact";
import { Brand } from "../../components/brand.tsx";
import { useTitle } from "../../components/page.tsx";
import { locale, showLocale, text } from "../../i18n/texts.ts";

/** The frame of every page before sign-in: the brand at the side, and one task. */
export function Entrance({
  title,
  lead,
  wide,
  foot,
  children,
}: {
  title: string;
  lead?: ComponentChildren;
  wide?: boolean;
  foot?: ComponentChildren;
  children?: ComponentChildren;
}) {
  const heading = useTitle(title);
  const { app, signIn, settings } = text();
  const other = locale.value === "it" ? "en" : "it";
  return (
    <div class="entrance">
      <aside class="entrance-side" aria-label={app.name}>
        <Brand />
        <div>
          <p class="entrance-tagline">{signIn.tagline}</p>
          <Art />
        </div>
        <p class="entrance-note">Terminal Relay</p>
      </aside>
      <main class="entrance-main">
        <button type="button" class="text-button entrance-language" lang={other} onClick={() => void showLocale(other)}>
          {settings.languages[other]}
        </button>
        <div class={`entrance-box${wide === true ? " entrance-box-wide" : ""}`}>
          <Brand className="entrance-brand" />
          <header class="entrance-head">
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {lead !== undefined && <p>{lead}</p>}
          </header>
          {children}
          {foot !== undefined && <footer class="entrance-foot">{foot}</footer>}
        </div>
      </main>
    </div>
  );
}

/** Draws a simplified list of payments. */
function Art() {
  const rows = [
    { name: 96, amount: 58, tone: "#7ee0b4" },
    { name: 132, amount: 44, tone: "#7ee0b4" },
    { name: 80, amount: 66, tone: "#ffb4ab" },
    { name: 118, amount: 52, tone: "#7ee0b4" },
  ];
  return (
    <svg class="entrance-art" viewBox="0 0 432 236" aria-hidden="true" focusable="false">
      <rect x="0.5" y="0.5" width="431" height="235" rx="16" fill="#ffffff" fill-opacity="0.07" stroke="#ffffff" stroke-opacity="0.14" />
      {rows.map(({ name, amount, tone }, index) => (
        <g key={name} transform={`translate(24 ${22 + index * 54})`}>
          <circle cx="15" cy="15" r="15" fill="#ffffff" fill-opacity="0.1" />
          <circle cx="15" cy="15" r="4.5" fill={tone} />
          <rect x="48" y="3" width={name} height="9" rx="4.5" fill="#ffffff" fill-opacity="0.75" />
          <rect x="48" y="20" width={name * 0.62} height="7" rx="3.5" fill="#ffffff" fill-opacity="0.28" />
          <rect x={384 - amount} y="9" width={amount} height="11" rx="5.5" fill="#ffffff" fill-opacity="0.85" />
          {index < rows.length - 1 && <path d="M0 42h384" stroke="#ffffff" stroke-opacity="0.1" />}
        </g>
      ))}
    </svg>
  );
}

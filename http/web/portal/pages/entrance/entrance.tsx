import type { ComponentChildren } from "preact";
import { Brand } from "../../components/brand.tsx";
import { useTitle } from "../../components/page.tsx";
import { text } from "../../i18n/texts.ts";

/** The frame of every page before the portal itself: who we are at the side, one thing to do. */
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
  const { app, signIn } = text();
  return (
    <div class="entrance">
      <aside class="entrance-side" aria-label={app.name}>
        <Brand />
        <p class="entrance-tagline">{signIn.tagline}</p>
        <p class="entrance-note">Terminal Relay</p>
      </aside>
      <main class="entrance-main">
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

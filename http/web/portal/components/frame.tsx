import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { quietForMs } from "../api/client.ts";
import { zoneName } from "../i18n/format.ts";
import { text } from "../i18n/texts.ts";
import { SearchButton } from "../search/search-button.tsx";
import type { SearchProps } from "../search/source.ts";
import { Boundary } from "./boundary.tsx";
import { Brand } from "./brand.tsx";
import { Drawer } from "./dialog.tsx";
import { Icon } from "./icon.tsx";
import type { PageLoader } from "./lazy-page.tsx";
import { Menu } from "./menu.tsx";
import type { NavGroup } from "./nav-entry.ts";
import { Shortcuts, showShortcuts } from "./shortcuts.tsx";
import { Sidebar } from "./sidebar.tsx";

/** The bar of a phone has room for this many pages and the button for all pages. */
const ON_PHONE_MAX = 4;

/**
 * When the page has not called the relay for this time, it shows its figures. The scripts of the
 * other pages, a few kilobytes each, are then loaded too, so that no change of page has to wait.
 */
const QUIET_MS = 1_000;
const QUIET_CHECK_MS = 250;

/**
 * The frame around the pages after sign-in. The navigation is at the side, or at the bottom of a
 * phone.
 */
export function Frame({
  home,
  groups,
  here,
  strip,
  paperHead,
  bar,
  search,
  pageKey,
  children,
}: {
  /** The address of the start page. */
  home: string;
  groups: readonly NavGroup[];
  /** The name of the current page; null for none. */
  here: string | null;
  /** The content above everything else. */
  strip?: ComponentChildren;
  /** The head of a printed page, which has no frame. */
  paperHead?: string | undefined;
  /** The bar at the top: the subject of all pages at the left, the account at the right. */
  bar: { left?: ComponentChildren; right: ComponentChildren };
  search: PageLoader<SearchProps>;
  /** A new key is a new page, so a failure of the page before does not affect it. */
  pageKey: string;
  children: ComponentChildren;
}) {
  const { app } = text();
  const latest = useRef(groups);
  latest.current = groups;
  useEffect(() => {
    let isGone = false;
    const preloadAll = async (): Promise<void> => {
      // One after another, so that a click does not wait behind all of them.
      for (const { preload } of latest.current.flatMap(({ entries }) => entries)) if (!isGone) await preload();
      await search.preload();
    };
    const timer = setInterval(() => {
      if (quietForMs() < QUIET_MS) return;
      clearInterval(timer);
      void preloadAll();
    }, QUIET_CHECK_MS);
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [search.preload]);
  return (
    <>
      <a class="skip" href="#main">
        {app.skip}
      </a>
      {strip !== undefined && (
        <div class="test-strip">
          <Icon name="info" size={16} />
          {strip}
        </div>
      )}
      <div class="shell">
        <Sidebar>
          <Brand href={home} />
          <nav class="nav" aria-label={app.navigation}>
            <NavLinks groups={groups} here={here} />
          </nav>
          <p class="sidebar-foot">{app.times(zoneName())}</p>
        </Sidebar>
        <div class="column" data-paper-head={paperHead}>
          <header class="topbar">
            <Brand href={home} />
            {bar.left}
            <div class="topbar-space" />
            <SearchButton dialog={search} groups={groups} />
            {bar.right}
          </header>
          <main id="main" class="main" tabIndex={-1}>
            <Boundary key={pageKey}>{children}</Boundary>
          </main>
        </div>
        <TabBar groups={groups} here={here} />
      </div>
      <Shortcuts />
    </>
  );
}

function NavLinks({ groups, here, onGo }: { groups: readonly NavGroup[]; here: string | null; onGo?: () => void }) {
  return groups.map(({ name: group, title, entries }) =>
    entries.length === 0 ? null : (
      <div key={group} class="nav-group">
        <p class="nav-title">{title}</p>
        {entries.map(({ name, href, icon, label, preload }) => (
          <a
            key={name}
            class="nav-link"
            href={href}
            aria-current={name === here ? "page" : undefined}
            onClick={onGo}
            onPointerEnter={() => void preload()}
          >
            <Icon name={icon} />
            <span class="nav-label">{label}</span>
          </a>
        ))}
      </div>
    ),
  );
}

function TabBar({ groups, here }: { groups: readonly NavGroup[]; here: string | null }) {
  const { app } = text();
  const [open, setOpen] = useState(false);
  return (
    <>
      <nav class="tab-bar" aria-label={app.navigation}>
        {groups
          .flatMap(({ entries }) => entries)
          .filter(({ onPhone }) => onPhone)
          .slice(0, ON_PHONE_MAX)
          .map(({ name, href, icon, label, shortLabel = label }) => (
            <a key={name} class="tab-bar-item" href={href} aria-current={name === here ? "page" : undefined}>
              <Icon name={icon} />
              <span>{shortLabel}</span>
            </a>
          ))}
        <button type="button" class="tab-bar-item" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <Icon name="menu" />
          <span>{app.more}</span>
        </button>
      </nav>
      {open && (
        <Drawer title={app.menu} onClose={() => setOpen(false)}>
          <nav aria-label={app.navigation}>
            <NavLinks groups={groups} here={here} onGo={() => setOpen(false)} />
          </nav>
          <p class="muted">{app.times(zoneName())}</p>
        </Drawer>
      )}
    </>
  );
}

/** Shows who is signed in, with links to the settings and to sign out. */
export function AccountMenu({
  name,
  role,
  at,
  settings,
  signOut,
}: {
  name: string;
  role?: string | undefined;
  /** The whole name of what all pages are about, which the bar cuts if it is long. */
  at?: string | undefined;
  settings: { href: string; label: string };
  signOut: () => void;
}) {
  const { app, shortcuts } = text();
  return (
    <Menu
      label={`${app.account}: ${name}`}
      trigger={
        <span class="avatar" aria-hidden="true">
          {name.slice(0, 2)}
        </span>
      }
    >
      {(close) => (
        <>
          <div class="menu-head">
            <strong>{name}</strong>
            {role !== undefined && <div class="muted">{role}</div>}
            {at !== undefined && <div class="muted">{at}</div>}
          </div>
          <a class="menu-item" href={settings.href} onClick={close}>
            <Icon name="settings" size={18} />
            <span>{settings.label}</span>
          </a>
          <button
            type="button"
            class="menu-item desk-only"
            onClick={() => {
              close();
              showShortcuts();
            }}
          >
            <Icon name="keyboard" size={18} />
            <span>{shortcuts.title}</span>
          </button>
          <button
            type="button"
            class="menu-item"
            onClick={() => {
              close();
              signOut();
            }}
          >
            <Icon name="signOut" size={18} />
            <span>{app.signOut}</span>
          </button>
        </>
      )}
    </Menu>
  );
}

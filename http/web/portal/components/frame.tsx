import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { zoneName } from "../i18n/format.ts";
import { text } from "../i18n/texts.ts";
import { Boundary } from "./boundary.tsx";
import { Brand } from "./brand.tsx";
import { Drawer } from "./dialog.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { Menu } from "./menu.tsx";

/** How many pages the bar at the bottom of a phone has room for, beside the button for all of them. */
const ON_PHONE_MAX = 4;

/** When the first page has had its time, the scripts of the others are loaded too (a few kilobytes each), so that a change of page waits for none. */
const PRELOAD_AFTER_MS = 1_500;

/** A page as the navigation shows it. */
export interface NavEntry {
  name: string;
  href: string;
  label: string;
  /** For the bar of a phone, where the label is too long for it. */
  shortLabel?: string | undefined;
  icon: IconName;
  onPhone: boolean;
  preload: () => void;
}

export interface NavGroup {
  name: string;
  title: string;
  entries: readonly NavEntry[];
}

/** The frame around the pages of somebody who is signed in: navigation at the side on a desk, at the bottom on a phone. */
export function Frame({
  home,
  groups,
  here,
  strip,
  paperHead,
  bar,
  pageKey,
  children,
}: {
  /** The address of the start page. */
  home: string;
  groups: readonly NavGroup[];
  /** The name of the page that is shown; null for none. */
  here: string | null;
  /** Above everything. */
  strip?: ComponentChildren;
  /** What stands on paper in the place of the frame. */
  paperHead?: string | undefined;
  /** In the bar at the top: what all pages are about at the left, the account at the right. */
  bar: { left?: ComponentChildren; right: ComponentChildren };
  /** Another one is another page, which a fault of the one before does not concern. */
  pageKey: string;
  children: ComponentChildren;
}) {
  const { app } = text();
  const latest = useRef(groups);
  latest.current = groups;
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const { entries } of latest.current) for (const { preload } of entries) preload();
    }, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
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
        <aside class="sidebar">
          <Brand href={home} />
          <nav class="nav" aria-label={app.navigation}>
            <NavLinks groups={groups} here={here} />
          </nav>
          <p class="sidebar-foot">{app.times(zoneName())}</p>
        </aside>
        <div class="column" data-paper-head={paperHead}>
          <header class="topbar">
            <Brand href={home} />
            {bar.left}
            <div class="topbar-space" />
            {bar.right}
          </header>
          <main id="main" class="main" tabIndex={-1}>
            <Boundary key={pageKey}>{children}</Boundary>
          </main>
        </div>
        <TabBar groups={groups} here={here} />
      </div>
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
            onPointerEnter={preload}
          >
            <Icon name={icon} />
            {label}
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

/** Whose session it is, where its settings are, and the way out. */
export function AccountMenu({
  name,
  role,
  settings,
  signOut,
}: {
  name: string;
  role?: string | undefined;
  settings: { href: string; label: string };
  signOut: () => void;
}) {
  const { app } = text();
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
          </div>
          <a class="menu-item" href={settings.href} onClick={close}>
            <Icon name="settings" size={18} />
            <span>{settings.label}</span>
          </a>
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

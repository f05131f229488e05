import { useEffect, useRef, useState } from "preact/hooks";
import { Badge } from "./components/badge.tsx";
import { Boundary } from "./components/boundary.tsx";
import { Brand } from "./components/brand.tsx";
import { ButtonLink } from "./components/button.tsx";
import { Drawer } from "./components/dialog.tsx";
import { EmptyState } from "./components/empty-state.tsx";
import { Icon } from "./components/icon.tsx";
import { LazyPage } from "./components/lazy-page.tsx";
import { Menu } from "./components/menu.tsx";
import { Page } from "./components/page.tsx";
import { Redirect } from "./components/redirect.tsx";
import { errorText } from "./i18n/error-text.ts";
import { zoneName } from "./i18n/format.ts";
import { text } from "./i18n/texts.ts";
import { hrefOf, type PageEntry, pageAt, pagesForMe } from "./pages/registry.ts";
import { useAction } from "./state/action.ts";
import { merchant, refreshSession, session, signOut, switchMerchant } from "./state/session.ts";
import { toast } from "./state/toasts.ts";

/** How many pages the bar at the bottom of a phone has room for, beside the button for all of them. */
const ON_PHONE_MAX = 4;

/** When the first page has had its time, the scripts of the others are loaded too (a few kilobytes each), so that a change of page waits for none. */
const PRELOAD_AFTER_MS = 1_500;

/** Whose figures they are and in which time zone: on paper in the place of the frame that says so on screen (print.css). */
function paperHead({ merchantName, environment }: { merchantName: string; environment: string }): string {
  const { app } = text();
  return [merchantName, ...(environment === "TEST" ? [app.test] : []), app.times(zoneName())].join(" · ");
}

/** The frame around the pages of somebody who is signed in. */
export function Layout({ path }: { path: string }) {
  const { app } = text();
  const pages = pagesForMe();
  useEffect(() => {
    const timer = setTimeout(() => {
      for (const { page } of pagesForMe()) page.preload();
    }, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const [first] = pages;
  const at = merchant.value;
  const found = pageAt(pages, path);
  // The first page comes just after the session was read; with each further one the menu is what the role is now.
  const opened = useRef(path);
  useEffect(() => {
    if (opened.current !== path) void refreshSession();
    opened.current = path;
  }, [path]);
  return (
    <>
      <a class="skip" href="#main">
        {app.skip}
      </a>
      {at?.environment === "TEST" && (
        <div class="test-strip">
          <Icon name="info" size={16} />
          {app.test}
        </div>
      )}
      <div class="shell">
        <aside class="sidebar">
          <Brand href="/portal" />
          <nav class="nav" aria-label={app.navigation}>
            <NavLinks pages={pages} here={found?.entry ?? null} />
          </nav>
          <p class="sidebar-foot">{app.times(zoneName())}</p>
        </aside>
        <div class="column" data-paper-head={at === null ? undefined : paperHead(at)}>
          <header class="topbar">
            <Brand href="/portal" />
            <MerchantSwitcher />
            <div class="topbar-space" />
            <AccountMenu />
          </header>
          <main id="main" class="main" tabIndex={-1}>
            <Boundary key={`${at?.merchantId} ${found?.entry.name}`}>
              {found !== null ? (
                <LazyPage of={found.entry.page} props={{ id: found.id }} />
              ) : path === "/portal" && first !== undefined ? (
                <Redirect to={hrefOf(first)} />
              ) : (
                <NotFound />
              )}
            </Boundary>
          </main>
        </div>
        <TabBar pages={pages} here={found?.entry ?? null} />
      </div>
    </>
  );
}

function NavLinks({ pages, here, onGo }: { pages: readonly PageEntry[]; here: PageEntry | null; onGo?: () => void }) {
  const texts = text();
  return (["payments", "developers", "company"] as const).map((group) => {
    const inGroup = pages.filter((entry) => entry.group === group);
    if (inGroup.length === 0) return null;
    return (
      <div key={group} class="nav-group">
        <p class="nav-title">{texts.nav[group]}</p>
        {inGroup.map((entry) => (
          <a
            key={entry.name}
            class="nav-link"
            href={hrefOf(entry)}
            aria-current={entry === here ? "page" : undefined}
            onClick={onGo}
            onPointerEnter={entry.page.preload}
          >
            <Icon name={entry.icon} />
            {entry.label(texts)}
          </a>
        ))}
      </div>
    );
  });
}

function TabBar({ pages, here }: { pages: readonly PageEntry[]; here: PageEntry | null }) {
  const texts = text();
  const [open, setOpen] = useState(false);
  return (
    <>
      <nav class="tab-bar" aria-label={texts.app.navigation}>
        {pages
          .filter(({ onPhone }) => onPhone)
          .slice(0, ON_PHONE_MAX)
          .map((entry) => (
            <a key={entry.name} class="tab-bar-item" href={hrefOf(entry)} aria-current={entry === here ? "page" : undefined}>
              <Icon name={entry.icon} />
              <span>{(entry.shortLabel ?? entry.label)(texts)}</span>
            </a>
          ))}
        <button type="button" class="tab-bar-item" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          <Icon name="menu" />
          <span>{texts.app.more}</span>
        </button>
      </nav>
      {open && (
        <Drawer title={texts.app.menu} onClose={() => setOpen(false)}>
          <nav aria-label={texts.app.navigation}>
            <NavLinks pages={pages} here={here} onGo={() => setOpen(false)} />
          </nav>
          <p class="muted">{texts.app.times(zoneName())}</p>
        </Drawer>
      )}
    </>
  );
}

function MerchantSwitcher() {
  const { app, roles } = text();
  const [at, merchants] = [merchant.value, session.value?.merchants ?? []];
  const change = useAction(async (merchantId: string, close: () => void) => {
    close();
    await switchMerchant(merchantId).catch((error: unknown) => toast(errorText(error), "failed"));
  });
  if (at === null) return null;
  const name = (
    <span class="merchant">
      <span class="merchant-name">{at.merchantName}</span>
    </span>
  );
  if (merchants.length < 2) return name;
  return (
    <Menu
      label={app.switchMerchant}
      align="left"
      trigger={
        <>
          {name}
          <Icon name="chevronDown" size={16} />
        </>
      }
    >
      {(close) =>
        merchants.map(({ merchantId, merchantName, environment, role }) => (
          <button
            key={merchantId}
            type="button"
            class="menu-item"
            aria-current={merchantId === at.merchantId ? "true" : undefined}
            onClick={() => (merchantId === at.merchantId ? close() : void change.run(merchantId, close))}
          >
            <span>
              {merchantName}
              <small>{roles[role]}</small>
            </span>
            {environment === "TEST" && (
              <Badge kind="warn" dot={false}>
                TEST
              </Badge>
            )}
            {merchantId === at.merchantId && <Icon name="check" size={18} />}
          </button>
        ))
      }
    </Menu>
  );
}

function AccountMenu() {
  const { app, nav, roles } = text();
  const leave = useAction(signOut);
  const { email } = session.value ?? {};
  const name = email ?? "";
  const at = merchant.value;
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
            {at !== null && <div class="muted">{roles[at.role]}</div>}
          </div>
          <a class="menu-item" href="/portal/settings" onClick={close}>
            <Icon name="settings" size={18} />
            <span>{nav.settings}</span>
          </a>
          <button
            type="button"
            class="menu-item"
            onClick={() => {
              close();
              void leave.run();
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

function NotFound() {
  const { app } = text();
  return (
    <Page title={app.notFoundTitle}>
      <EmptyState icon="search" title={app.notFoundTitle} action={<ButtonLink href="/portal">{app.goHome}</ButtonLink>}>
        {app.notFoundText}
      </EmptyState>
    </Page>
  );
}

import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { needPageTexts, text } from "../i18n/texts.ts";
import { isOffline, lookForConnection } from "../state/connection.ts";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";
import { Skeleton } from "./skeleton.tsx";

const RELOADED_KEY = "portal.reloadedAtMs";

/** A page that reloads itself more often would never show why. */
const RELOAD_PAUSE_MS = 60_000;

/** A page whose script is loaded when it is first opened, or earlier by `preload`. */
export interface PageLoader<Props> {
  /** Null until the script is loaded. */
  component(): ComponentType<Props> | null;
  load(): Promise<void>;
  /** Resolves also after a failure, which is reported when the page is opened. */
  preload(): Promise<void>;
}

/**
 * `texts` are those that the page uses: all, or only those that are loaded before any page
 * (i18n/start.en.ts), for which it does not have to wait.
 */
export function pageLoader<Props>(load: () => Promise<ComponentType<Props>>, texts: "all" | "start" = "all"): PageLoader<Props> {
  let component: ComponentType<Props> | null = null;
  let loading: Promise<void> | null = null;
  const loadOnce = (): Promise<void> => {
    loading ??= Promise.all([load(), texts === "all" ? needPageTexts() : null]).then(
      ([loaded]) => {
        component = loaded;
      },
      (error: unknown) => {
        loading = null;
        throw error;
      },
    );
    return loading;
  };
  return {
    component: () => component,
    load: loadOnce,
    preload: () => loadOnce().catch(() => {}),
  };
}

/**
 * Shows a page when its script is loaded. Without a connection it says so, and loads the script
 * when the connection is back. Otherwise a missing script means that the relay now has a newer
 * version of the portal, so the browser reloads the whole portal once.
 */
export function LazyPage<Props extends object>({ of: loader, props }: { of: PageLoader<Props>; props: Props }) {
  const [state, setState] = useState<"loading" | "loaded" | "failed" | "offline">(loader.component() === null ? "loading" : "loaded");
  const offline = isOffline.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs again with the connection.
  useEffect(() => {
    let gone = false;
    const failed = async (): Promise<void> => {
      // A reload without a connection would replace the portal by the browser's own error page.
      await lookForConnection();
      if (gone) return;
      if (isOffline.value) setState("offline");
      else if (!reloadOnce()) setState("failed");
    };
    loader.load().then(
      () => !gone && setState("loaded"),
      () => void failed(),
    );
    return () => {
      gone = true;
    };
  }, [loader, offline]);
  const Component = loader.component();
  if (Component !== null) return <Component {...props} />;
  const { app } = text();
  if (state === "offline") {
    return (
      <EmptyState icon="warning" title={app.offlineTitle}>
        {app.offlineText}
      </EmptyState>
    );
  }
  if (state !== "failed") return <Skeleton lines={6} />;
  return (
    <EmptyState icon="warning" title={app.brokenTitle} action={<Button onClick={() => location.reload()}>{app.reload}</Button>}>
      {app.brokenText}
    </EmptyState>
  );
}

/** Reloads the portal unless it was reloaded a moment ago. Returns true if it does. */
function reloadOnce(): boolean {
  try {
    const beforeMs = Number(sessionStorage.getItem(RELOADED_KEY) ?? 0);
    if (Date.now() - beforeMs < RELOAD_PAUSE_MS) return false;
    sessionStorage.setItem(RELOADED_KEY, String(Date.now()));
  } catch {
    // Without storage, a reload could be one of many.
    return false;
  }
  location.reload();
  return true;
}

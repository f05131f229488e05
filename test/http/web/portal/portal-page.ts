import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import type { WebAppName } from "../../../../http/web/bundle-web-app.ts";
import { operatorsEndpoints, portalEndpoints } from "../../../../http/web/web-app-endpoints.ts";
import { loadWebApps } from "../../../../http/web/web-app-files.ts";
import { openPage } from "../../../support/browser/browser.ts";
import { watchFaults } from "../../../support/node/portal-faults.ts";
import { envelope, startWorld } from "../../server/world.ts";

/** Made once for all tests of a file. */
const webApps = loadWebApps();

/** The pages of an app on a server of their own, and a browser. `faults` are what no page may cause. */
export interface PortalPage {
  url: string;
  page: Page;
  /** Errors in the console, reports of the policy, and requests to other hosts. */
  faults: string[];
  show(theme: "light" | "dark", widthPx: number): Promise<void>;
}

const HOUR_MS = 3_600_000;

/** Stops the time of a page whose clock was installed before it was loaded; what is due within an hour happens at once. Else it goes on as the machine's does. */
export async function stopTime(page: Page): Promise<void> {
  await page.clock.pauseAt(Date.now() + HOUR_MS);
}

const ENDPOINTS = { portal: portalEndpoints, operators: operatorsEndpoints } as const;

export async function openPortal(t: TestContext, app: WebAppName = "portal"): Promise<PortalPage> {
  const [page] = await openPortals(t, app, 1);
  if (page === undefined) throw new Error("no page was opened");
  return page;
}

/** Several pages on one server, each with a session and faults of its own. */
export async function openPortals(t: TestContext, app: WebAppName, count: number): Promise<PortalPage[]> {
  const { url } = await startWorld(t, { endpoints: bind(ENDPOINTS[app](envelope), { webApps: await webApps }) });
  return Promise.all(
    Array.from({ length: count }, async () => {
      const page = await openPage(t);
      const faults: string[] = [];
      await watchFaults(page, url, faults);
      return {
        url,
        page,
        faults,
        show: async (theme, widthPx) => {
          await page.setViewportSize({ width: widthPx, height: widthPx < 600 ? 780 : 860 });
          await page.emulateMedia({ colorScheme: theme });
        },
      };
    }),
  );
}

import assert from "node:assert/strict";
import type { BrowserContext, Page } from "playwright-core";
import { freePort } from "../../infra/local/free-port.ts";
import { SANDBOX_SECRET } from "../../infra/sandbox/gateway/options.ts";
import { sharedBrowser } from "../support/browser/browser.ts";
import { TestGateway } from "../support/node/gateway.ts";
import { watchFaults } from "../support/node/portal-faults.ts";
import { Relay } from "../support/node/relay.ts";
import { newPartnerApi } from "../support/people/new-partner-api.ts";
import { PORTAL_PASSWORD, type PortalPerson } from "../support/people/portal-person.ts";

export const DESK = { width: 1_280, height: 860 };
export const PHONE = { width: 360, height: 780 };

/** As slow as a page may be on a machine that others use too; what is promised within a time is measured by its test. */
const PAGE_TIMEOUT_MS = 30_000;

export interface Visitor {
  context: BrowserContext;
  page: Page;
}

/** The browsers of people. What no page may cause is collected over the whole run. */
export class Visitors {
  #addresses = 0;
  readonly #open = new Set<BrowserContext>();
  readonly faults: string[] = [];
  /** The word in the address of every page that was opened; empty for the start page. Those for operators begin with `admin/`; of any other there is its first word, as `/l`. */
  readonly opened = new Set<string>();

  /** A browser of somebody's own, at an address of its own: the limits of sign-in count addresses. `faults` are those of the run unless others are given. */
  async visit(origin: string, options: VisitOptions = {}): Promise<Visitor> {
    const { phone = false, locale = "en-GB", reducedMotion = "no-preference", scripts = true, faults = this.faults } = options;
    this.#addresses += 1;
    const context = await (await sharedBrowser()).newContext({
      baseURL: origin,
      viewport: phone ? PHONE : DESK,
      locale,
      reducedMotion,
      javaScriptEnabled: scripts,
      acceptDownloads: true,
      extraHTTPHeaders: { "x-forwarded-for": `10.7.${this.#addresses >> 8}.${this.#addresses & 255}` },
    });
    this.#open.add(context);
    context.setDefaultTimeout(PAGE_TIMEOUT_MS);
    const page = await context.newPage();
    page.on("pageerror", (error) => faults.push(`page: ${error.message}`));
    page.on("framenavigated", (frame) => {
      const { protocol, pathname } = new URL(frame.url());
      if (protocol !== "http:") return;
      const [, app = "", page = "", operatorsPage = ""] = pathname.split("/");
      const names: { [app: string]: string } = { portal: page, admin: `admin/${operatorsPage}` };
      this.opened.add(names[app] ?? `/${app}`);
    });
    await watchFaults(page, origin, faults);
    return { context, page };
  }

  /** Ends the browsers of a test. */
  async leave(): Promise<void> {
    await Promise.all([...this.#open].map((context) => context.close()));
    this.#open.clear();
  }
}

export interface VisitOptions {
  phone?: boolean;
  locale?: "en-GB" | "it-IT";
  reducedMotion?: "reduce" | "no-preference";
  /** Whether the browser runs any. */
  scripts?: boolean;
  faults?: string[];
}

export interface Shop {
  merchantId: string;
  merchantName: string;
  terminalIds: readonly string[];
  secretKey: string;
  /** Invites by the partner API, as the first owner is invited. */
  invite(email: string, role?: string): Promise<void>;
}

/** A node that all tests share which do not disturb each other, and the browsers of its visitors. Each test makes its own shop. */
export class PortalWorld {
  readonly visitors = new Visitors();
  #gateway: TestGateway | null = null;
  #relay: Relay | null = null;
  #origin = "";

  get relay(): Relay {
    assert.ok(this.#relay !== null, "the node has not started");
    return this.#relay;
  }

  /** The card gateway of all shops. */
  get gateway(): TestGateway {
    assert.ok(this.#gateway !== null, "the gateway has not started");
    return this.#gateway;
  }

  /** Passkeys need a name. */
  get origin(): string {
    return this.#origin;
  }

  /** `behindMs`: how far the clock of the node stands behind, so that there can be a past. */
  async start(behindMs: number): Promise<void> {
    const port = await freePort();
    this.#origin = `http://localhost:${port}`;
    this.#gateway = await TestGateway.start();
    this.#relay = new Relay({
      shards: 1,
      environment: {
        ...{ RELAY_PORT: String(port), RELAY_PUBLIC_URL: this.#origin, RELAY_TRUSTED_PROXIES: "127.0.0.0/8" },
        RELAY_GATEWAY_URL: this.#gateway.url,
      },
    });
    this.relay.advance(-behindMs);
    await this.relay.start();
    await this.relay.clickhouse();
  }

  async stop(): Promise<void> {
    await this.#relay?.stop();
    await this.#gateway?.stop();
  }

  visit(options: VisitOptions = {}): Promise<Visitor> {
    return this.visitors.visit(this.origin, options);
  }

  /** A visitor who is signed in. */
  async visitAs(person: PortalPerson, path = "/portal", options: VisitOptions = {}): Promise<Visitor> {
    const visitor = await this.visit(options);
    await signIn(visitor.page, person, path);
    return visitor;
  }
}

/** Signs in on the page as a person does, and waits for the page that was wanted. */
export async function signIn(page: Page, person: PortalPerson, path = "/portal", password = PORTAL_PASSWORD): Promise<void> {
  await page.goto(path);
  await enterPassword(page, person.email, password);
  await page.getByLabel(/^(Code|Codice)$/).fill(person.code());
  await page.keyboard.press("Enter");
  await isSignedIn(page);
}

export async function enterPassword(page: Page, email: string, password = PORTAL_PASSWORD): Promise<void> {
  await page.getByLabel(/^(E-mail address|Indirizzo e-mail)$/).fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");
}

export async function isSignedIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^(Your account|Il tuo account)/ }).waitFor();
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Your account/ }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
}

/** A shop of a test's own, whose terminals are assigned to it. */
export async function newShop(relay: Relay, merchantName: string, terminals = 0): Promise<Shop> {
  const partner = await newPartnerApi(relay, {}, SANDBOX_SECRET);
  const merchantId = `shop-${relay.uuid()}`;
  const made = await partner.call("POST", "/merchants", { merchantId, merchantName });
  assert.equal(made.status, 201, made.text);
  const terminalIds = Array.from({ length: terminals }, () => relay.terminalId());
  for (const terminalId of terminalIds) {
    const assigned = await relay.administrator().post("/admin/cloud-configs", { terminalId, merchantId, group: "Front desk" });
    assert.equal(assigned.status, 200, assigned.text);
  }
  const body: { keys?: { secretKey?: string } } = Object(made.body);
  return {
    ...{ merchantId, merchantName, terminalIds, secretKey: body.keys?.secretKey ?? "" },
    invite: async (email, role = "OWNER") => {
      const invited = await partner.call("POST", `/merchants/${merchantId}/portal-users`, { email, role, locale: "en" });
      assert.equal(invited.status, 201, invited.text);
    },
  };
}

/** Shows a second factor where the page asks for one. */
export async function stepUp(page: Page, person: PortalPerson): Promise<void> {
  const question = page.locator("dialog", { hasText: "Confirm it is you" });
  await question.getByLabel("Code").fill(person.code());
  await question.getByRole("button", { name: "Confirm" }).click();
  await question.waitFor({ state: "detached" });
}

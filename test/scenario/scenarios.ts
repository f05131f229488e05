import { createRequire } from "node:module";
import { after, afterEach, before } from "node:test";
import { Relay, type RelayOptions } from "../support/node/relay.ts";
import { access } from "./access/access.ts";
import { crossSite } from "./access/cross-site.ts";
import { fairUse } from "./access/fair-use.ts";
import { adminSearch } from "./administration/admin-search.ts";
import { adminSignIn } from "./administration/admin-sign-in.ts";
import { administration } from "./administration/administration.ts";
import { administrators } from "./administration/administrators.ts";
import { guessedPasswords } from "./administration/guessed-passwords.ts";
import { describe, describeEverywhere, describeOnNodes, registerOn } from "./layouts.ts";
import { gatewayAdapter } from "./links/adapter.ts";
import { compatibleApi } from "./links/compat.ts";
import { paymentLinks } from "./links/links.ts";
import { foundInClickHouse } from "./merchants/found-in-clickhouse.ts";
import { merchantLogs } from "./merchants/merchant-logs.ts";
import { merchantReads, merchantReadsWithoutClickHouse } from "./merchants/merchant-reads.ts";
import { portalSignIn } from "./merchants/portal-sign-in.ts";
import { portalUsers } from "./merchants/portal-users.ts";
import { webhooks } from "./merchants/webhooks.ts";
import { partnerApi } from "./partners/partner-api.ts";
import { partnerPortal } from "./partners/partner-portal.ts";
import { partners } from "./partners/partners.ts";
import { badInput } from "./relay/bad-input.ts";
import { cancellation } from "./relay/cancel.ts";
import { delivery } from "./relay/delivery.ts";
import { halfCharacters } from "./relay/half-characters.ts";
import { livesAndPresence } from "./relay/life.ts";
import { openAtOnce } from "./relay/open-at-once.ts";
import { operation, production } from "./relay/operation.ts";
import { payments } from "./relay/payment.ts";
import { results } from "./relay/results.ts";
import { transactions, withoutClickHouse } from "./relay/transactions.ts";
import { unreadPostings } from "./relay/unread-postings.ts";
import { utilityCommands } from "./relay/utility.ts";
import { uuids } from "./relay/uuids.ts";
import { appPackages } from "./terminals/app-packages.ts";
import { appRollouts } from "./terminals/app-rollouts.ts";
import { appUpdates } from "./terminals/app-updates.ts";
import { shops } from "./terminals/shops.ts";

const SCENARIOS: { about: string; define: (relay: Relay) => void; skip?: string | false }[] = [
  { about: "payments", define: payments },
  { about: "fair use of a terminal", define: fairUse },
  { about: "uuids in capitals and small letters", define: uuids },
  { about: "lives and presence", define: livesAndPresence },
  { about: "scan, print, commands and tags", define: utilityCommands },
  { about: "cancellation", define: cancellation },
  { about: "delivery", define: delivery },
  { about: "access", define: access },
  { about: "requests of foreign pages", define: crossSite },
  { about: "guessed passwords", define: guessedPasswords },
  { about: "partners", define: partners },
  { about: "the partner portal", define: partnerPortal },
  { about: "Partner API v1", define: partnerApi },
  { about: "administration", define: administration },
  { about: "administrators", define: administrators },
  { about: "the sign-in of administrators", define: adminSignIn },
  { about: "what operators search for", define: adminSearch },
  { about: "results", define: results },
  { about: "transactions", define: transactions, skip: missingClickHouse() },
  { about: "whose a payment is", define: shops, skip: missingClickHouse() },
  { about: "what ClickHouse has", define: foundInClickHouse, skip: missingClickHouse() },
  { about: "what a merchant reads", define: merchantReads, skip: missingClickHouse() },
  { about: "the logs of a merchant", define: merchantLogs, skip: missingClickHouse() },
  { about: "app versions and packages", define: appPackages },
  { about: "app updates", define: appUpdates },
  { about: "roll-outs of app versions", define: appRollouts },
  { about: "bad input", define: badInput },
  { about: "half of a character", define: halfCharacters },
  { about: "postings that cannot be read", define: unreadPostings },
  { about: "operation", define: operation },
  // They move the clock by days, and others count what a day has.
  { about: "signing in to the merchant portal", define: portalSignIn },
  { about: "users of the merchant portal", define: portalUsers },
];

/**
 * Registers the scenarios that such a relay runs (layouts.ts). They share its nodes, whose start takes longer than most of them: each has its own
 * terminals, uuids and client addresses in it, and moves the clock only forwards. `startable` makes the relays of those that start their own.
 */
export function runScenarios(options: RelayOptions, startable: (name: string) => RelayOptions): void {
  const relay = new Relay({ ...options, environment: { ...options.environment, RELAY_SERVICE_PREFIX: "till" } });
  before(() => relay.start());
  after(() => relay.stop());
  registerOn(relay.clustered ? "nodes" : "shards", () => {
    for (const { about, define, skip = false } of SCENARIOS) {
      describeEverywhere(about, { skip }, () => {
        afterEach(() => relay.leaveAll());
        define(relay);
      });
    }
    describeOnNodes("the gateway-protocol adapter", () => gatewayAdapter(startable("the gateway-protocol adapter")));
    describeEverywhere("payment links", () => paymentLinks(startable("payment links"), isInstalled("chdb")));
    // What differs with several nodes is in test/cluster/shared/intents.test.ts.
    describe("the compatible API", () => compatibleApi(startable("the compatible API")));
    describe("webhooks", () => webhooks(startable("webhooks")));
    describe("production", () => production(startable("production")));
    describe("what is open at once", () => openAtOnce(startable("what is open at once")));
    describe("without ClickHouse", () => withoutClickHouse(startable("without ClickHouse")));
    describe("what a merchant reads without ClickHouse", () =>
      merchantReadsWithoutClickHouse(startable("what a merchant reads without ClickHouse")));
  });
}

/** The same for a node by itself with so many shards. */
export function runScenariosWithShards(shards: number): void {
  runScenarios({ shards, environment: {} }, () => ({ shards, environment: {} }));
}

function missingClickHouse(): string | false {
  return isInstalled("chdb") ? false : "chdb, an optional dependency, is not installed";
}

function isInstalled(name: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(name) !== "";
  } catch {
    return false;
  }
}

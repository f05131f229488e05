import { lookAtAll } from "../../../engine/access/made-by-key.ts";
import { createTeamStore } from "../../../engine/accounts/team-store.ts";
import { callbackOperations } from "../../../engine/callbacks/callback-store.ts";
import { createFeedParties } from "../../../engine/cases/feed-parties.ts";
import { createFleet } from "../../../engine/fleet/fleet.ts";
import type { Ids } from "../../../engine/kernel/ids.ts";
import { openSharedCounts } from "../../../engine/kernel/shared-counts.ts";
import { createMerchantAccounts } from "../../../engine/links/merchant-accounts.ts";
import { createMerchantStore } from "../../../engine/partners/merchant-store.ts";
import { createGiveBack } from "../../../engine/refunds/refund-payment.ts";
import { createAgentRefusals } from "../../../engine/reports/agent-refusals.ts";
import type { CloudConfig } from "../../../engine/settings/cloud-config.ts";
import { createTerminalsByMerchant } from "../../../engine/settings/terminals-by-merchant.ts";
import { CLOUD_CONFIGS, createRecordStore } from "../../../engine/tables/record-store.ts";
import { createTables } from "../../../engine/tables/replicated-table.ts";
import { createTableVersions } from "../../../engine/tables/table-versions.ts";
import { createWaitPlaces } from "../../../engine/terminals/wait-places.ts";
import type { Authenticator } from "../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { withoutGuesses } from "../../../http/auth/key-guesses.ts";
import { createPatternCompiler } from "../../../http/auth/pattern.ts";
import type { SignatureAuthenticator } from "../../../http/auth/signature-authenticator.ts";
import type { BoundEndpoint } from "../../../http/endpoint/endpoint.ts";
import { createSocketsPerAddress } from "../../../http/server/sockets-per-address.ts";
import type { WebSocketMount } from "../../../http/server/websocket.ts";
import { docsOperations } from "../../../http/web/docs-endpoints.ts";
import type { ShardLifecycle } from "../boot/lifecycle.ts";
import { publicMetricsAccess } from "../boot/metrics-access.ts";
import { createSecretBox } from "../boot/secret-box.ts";
import { MAIN, STORE_OWNER } from "../boot/shard-boot.ts";
import { createClusterNodes } from "../cluster/cluster-nodes.ts";
import type { ShardMetrics } from "../observability/metrics.ts";
import { type Access, composeAccess } from "./access/access.ts";
import { accountSecrets, composeAccounts } from "./access/accounts.ts";
import { composeAdministratorSignIn } from "./access/administrator-sign-in.ts";
import { composeLoginCounts } from "./access/logins.ts";
import { composeOwnersNotice } from "./access/owners-notice.ts";
import { composeTeams } from "./access/teams.ts";
import { composeActivityLog } from "./administration/activity-log.ts";
import { composeAdministration } from "./administration/administration.ts";
import { composeAdministrators } from "./administration/administrators.ts";
import { composeFleetActions } from "./administration/fleet-actions.ts";
import { composeOverview } from "./administration/overview.ts";
import { composeSearch } from "./administration/search.ts";
import { composeAlerts } from "./cases/alerts.ts";
import { composeDisputes } from "./cases/disputes.ts";
import { composeAdapter } from "./links/adapter.ts";
import { createCardGateway } from "./links/card-gateway.ts";
import { composeCompat } from "./links/compat.ts";
import { composeDemo, knownKeys } from "./links/demo.ts";
import { type ComposedLinks, composeLinks } from "./links/links.ts";
import { composePaymentEvents, composeRefundRows } from "./links/payment-events.ts";
import { composePortalLinks } from "./links/portal-links.ts";
import { composeAgentCalls } from "./merchants/agent-calls.ts";
import { composeAgents } from "./merchants/agents.ts";
import { composeBranding } from "./merchants/branding.ts";
import { composeExports } from "./merchants/exports.ts";
import { composeMerchantPortal } from "./merchants/merchant-portal.ts";
import { composeMerchantTransactions } from "./merchants/merchant-transactions.ts";
import { composePartnerApi } from "./merchants/partner-api.ts";
import { composePartners } from "./merchants/partners.ts";
import { composeReconciliation } from "./merchants/reconciliation.ts";
import { type ComposedSubscriptions, composeSubscriptions } from "./merchants/subscriptions.ts";
import { composeWebhooks } from "./merchants/webhooks.ts";
import { observeLinks } from "./shared/activity-hooks.ts";
import { bindSurfaces, surfacesOf } from "./shared/endpoints.ts";
import { createFeedWake } from "./shared/feed-wake.ts";
import { createIdempotency, createOnce } from "./shared/idempotency.ts";
import { composeMails } from "./shared/mails.ts";
import { createOpenMax } from "./shared/open-max.ts";
import { portalUrl } from "./shared/portal-url.ts";
import { createReadiness } from "./shared/readiness.ts";
import type { RunningShardParts } from "./shared/shard-parts.ts";
import { composeApps } from "./terminals/apps.ts";
import { createDayCounts } from "./terminals/day-counts.ts";
import { composeRelay } from "./terminals/relay.ts";
import { createStompMount } from "./terminals/stomp-mount.ts";
import { type ComposedTerminals, composeTerminals } from "./terminals/terminals.ts";
import { composeZvt } from "./terminals/zvt.ts";

const METRICS_TIMEOUT_MS = 8_000;

/**
 * Reading the documents is fast. Generating them from the sources takes seconds on a busy machine.
 */
const DOCS_TIMEOUT_MS = 30_000;
const LOOK_TIMEOUT_MS = 2_000;

export interface ShardParts extends RunningShardParts {
  ids: Ids;
  /** Unique among all writers. */
  writer: string;
  metrics: ShardMetrics;
  life: ShardLifecycle;
}

/** The parts that a shard serves. */
export interface ComposedShard {
  endpoints: BoundEndpoint[];
  mounts: WebSocketMount[];
  authenticator: Authenticator;
  signatures: SignatureAuthenticator;
  terminals: Pick<ComposedTerminals, "historyLost" | "left" | "report">;
  /** Notifies the parts of changes in this node's cluster membership. */
  cluster: { joined(): Promise<void>; membershipExpired(): Promise<void> };
}

/**
 * Composes the subjects of a shard (terminals, partners, links, apps, ...), each in its own file.
 * Compose a new subject here, add it to the shard's lifecycle if it has one, and name its
 * operations in the list below. Its endpoints are in endpoints.ts.
 */
export async function composeShard(parts: ShardParts): Promise<ComposedShard> {
  const { boot, clock, machineClock, log, bus, homes, store, ids, writer, metrics, life } = parts;
  const { config, address, cluster } = boot;
  const { kv } = store;
  const { add } = life;
  const lease = cluster?.lease ?? null;
  const failed = log.engineFailed;
  const retentionMs = Math.max(config.uuidRetentionDays, config.resultRetentionDays) * 86_400_000;

  add({ everySecond: () => void store.sweep().catch(log.storeFailed) });
  const { onOutboxWrite } = add(createFeedWake(bus));
  const { activity, merchantLogs } = add(composeActivityLog({ bus, writer }));
  const readiness = add(createReadiness({ boot, isAway: store.isAway, monotonicMs: machineClock.monotonicMs }));
  metrics.flag(
    "relay_ready",
    "1 if the node accepts requests, as /health/ready says; otherwise 0.",
    () => readiness.notReadyBecause() === null,
  );
  const liveShards = async () => (cluster === null ? bus.shards : bus.request(MAIN, "cluster.look", undefined, LOOK_TIMEOUT_MS));
  const tables = createTables({
    bus,
    tableVersions: createTableVersions(kv),
    clock: machineClock,
    liveShards,
    failed,
  });
  add({ load: tables.load, tick: tables.tick });
  const patterns = createPatternCompiler();
  const box = createSecretBox(config.secretKeys);

  const partners = composePartners({ config, kv, tables, box, patterns, clock });
  const partnerApi = add(
    composePartnerApi({
      ...{ kv, tables, box, clock, address, bus, sharedMinutes: parts.others?.minutes ?? null, ...partners, failed },
      moved: (merchant) => owners.ownersNotice.ofKeys.told(merchant, { type: "moved", environment: merchant.environment }),
    }),
  );
  const byMerchant = createTerminalsByMerchant();
  const cloudConfigs = tables.administered(createRecordStore<CloudConfig>(kv, CLOUD_CONFIGS), (terminalId, after, before) => {
    byMerchant.changed(terminalId, after, before);
    administration.configureTerminal.changed(terminalId, after, before);
  });
  const merchantOf = (terminalId: string) => cloudConfigs.get(terminalId)?.merchantId ?? null;
  const shopOf = (terminalId: string) => {
    const merchantId = merchantOf(terminalId);
    // Older configurations may name merchants that do not exist. Payments of a deactivated
    // merchant's terminals still belong to it.
    return merchantId === null || partnerApi.merchantOwners.get(merchantId) === undefined ? null : merchantId;
  };

  const dayCounts = add(createDayCounts({ config, kv, self: bus.self, clock, failed }));
  const composed = add(
    composeTerminals({
      boot,
      store,
      bus,
      homes,
      liveShards,
      clock,
      machineClock,
      writer,
      retentionMs,
      metrics,
      dayCounts,
      onOutboxWrite,
      merchantOf,
      shopOf,
      currencyOf: (terminalId) => cloudConfigs.get(terminalId)?.currency ?? null,
      failed,
    }),
  );
  const { terminals } = composed;
  const openMax = add(createOpenMax(config));
  const waits = createWaitPlaces(openSharedCounts(boot.open.waits), () => openMax.current().waitsOfCaller);
  const relay = composeRelay({ config, kv, bus, clock, ids, writer, terminals: composed, waits, configOf: cloudConfigs.get });

  const gateway = createCardGateway({ config, log, metrics });
  add({ close: async () => gateway.close() });
  const administration = composeAdministration({
    kv,
    tables,
    box,
    clock,
    machineClock,
    ids,
    terminals,
    partners: partners.partners,
    cloudConfigs,
    gateway,
    retentionMs,
    writer,
    failed,
    merchantOwners: partnerApi.merchantOwners,
  });
  const adapter = composeAdapter({
    ...{ config, kv, clock, machineClock, partners: partners.partners, box, lease, log, metrics, activity },
    shopOf: async (txId) => (await links.links.byTxId(txId))?.order.shop ?? null,
  });
  const webhooks = composeWebhooks({
    ...{ config, kv, homes, cluster, partners: partners.partners, box, clock, machineClock, log, metrics, activity },
    owed: (before, after) => owners.ownersNotice.ofWebhook(before, after),
  });
  const branding = composeBranding({ kv, clock });
  const mails = add(composeMails({ config, kv, bus, homes, address, box, clock, machineClock, log, metrics, activity, ...branding }));
  const owners = composeOwnersNotice({
    ...{ config, kv, box, clock, ids, mails: mails.mails },
    publicUrl: () => portalUrl(config, links.publicUrl()),
  });
  // One thread of the node sends queued callbacks.
  if (address === STORE_OWNER) {
    add(adapter.sender());
    add(webhooks.sender());
  }
  const zvt = composeZvt({
    ...{ config, store, tables, box, bus, homes, liveShards, cluster, writer, clock, ids, log, metrics, partners: partners.partners },
    relay: { sendPayment: relay.sendPayment, terminals, claimCancelled: composed.claimCancelled },
    timers: parts.timers,
  });
  // One thread of the node listens.
  if (address === STORE_OWNER) add(zvt.listener());
  const merchantAccounts = createMerchantAccounts({
    ...{ accounts: administration.gatewayAccounts, partners: partners.partners, box },
    environmentOf: async (merchantId) => (await createMerchantStore(kv).load(merchantId))?.record.environment ?? null,
  });
  const compat = composeCompat({
    ...{ kv, clock, ids, retentionMs, activity },
    accounts: merchantAccounts,
    isUnderDispute: (payment) => disputes.holds.isUnderDispute(payment),
    publicUrl: () => links.publicUrl(),
  });
  const agents = add(
    composeAgents({
      ...{ config, kv, bus, homes, clock, retentionMs, activity, metrics, failed },
      ...{ merchants: createMerchantStore(kv), partners: partners.partners },
    }),
  );
  const portalLinks = add(
    composePortalLinks({
      ...{ config, kv, bus, homes, clock, box, retentionMs, metrics, failed },
      accounts: merchantAccounts,
      merchantOwners: partnerApi.merchantOwners,
      mails: mails.mails,
      stores: { teams: createTeamStore(kv), shops: branding.shops },
      activity,
      keeper: agents.keeper,
      publicUrl: () => links.publicUrl(),
      portalUrl: () => portalUrl(config, links.publicUrl()),
      stored: (record) => subscriptions.linkStored(record),
    }),
  );
  const disputes = add(
    composeDisputes({
      ...{ config, kv, bus, homes, clock, box, retentionMs, activity, metrics, failed },
      mails: mails.mails,
      stores: { teams: createTeamStore(kv), merchants: createMerchantStore(kv) },
      portalUrl: () => portalUrl(config, links.publicUrl()),
    }),
  );
  const links: ComposedLinks = add(
    composeLinks({
      config,
      kv,
      bus,
      homes,
      clock,
      gateway,
      accounts: administration.gatewayAccounts,
      // A partner may send commands to terminals of other partners' merchants. A payment there on
      // the partner's own account does not belong to that merchant, which may not see or refund it.
      shopOf: (terminalId, partnerId) => {
        const shop = shopOf(terminalId);
        return shop !== null && partnerApi.merchantOwners.get(shop)?.partnerId === partnerId ? shop : null;
      },
      retentionMs,
      writer,
      companions: [
        disputes.companion,
        async (change) => ({ checks: [], operations: callbackOperations(change) }),
        compat.companion,
        portalLinks.companion,
        composePaymentEvents(kv),
        composeRefundRows(kv),
      ],
      isUnderDispute: disputes.holds.isUnderDispute,
      onOutboxWrite,
      observer: observeLinks(activity, config.gatewayUrl),
      verified: metrics.linkVerified,
      ended: (state) => {
        dayCounts.linkEnded(state);
        metrics.linkEnded(state);
      },
      failed,
    }),
  );
  metrics.gauge("relay_links_due", "Payment links that the relay verifies now or within seconds.", links.due);

  const portalLinkOperations = portalLinks.over(links.links);
  const agentCredentials = agents.over(portalLinkOperations, portalLinks.madeLinks);
  const subscriptions: ComposedSubscriptions = add(
    composeSubscriptions({
      ...{ config, kv, bus, homes, clock, box, retentionMs, metrics, activity, failed },
      accounts: administration.gatewayAccounts,
      merchantAccounts,
      merchantOwners: partnerApi.merchantOwners,
      mails: mails.mails,
      shops: branding.shops,
      portalLinks: portalLinkOperations,
      publicUrl: links.publicUrl,
    }),
  );

  const loginCounts = composeLoginCounts({ address, bus, monotonicMs: clock.monotonicMs, shared: parts.others?.logins ?? null });
  const observeLogins = { failed: metrics.loginFailed, heldBack: metrics.loginHeldBack, holdBegan: log.loginsHeldBack };
  const accounts = add(
    composeAccounts({
      ...{ config, kv, box, clock, ids, loginCounts, observeLogins, failed },
      partners: partners.partners,
      ownersNotice: owners.ownersNotice,
      audit: administration.audit,
      publicUrl: () => portalUrl(config, links.publicUrl()),
    }),
  );
  const teams = add(
    composeTeams({
      ...{ config, kv, clock, loginCounts, failed, ...owners },
      ...{ stores: accounts.stores, guard: accounts.guard, secrets: accountSecrets },
      audit: administration.audit,
      timers: parts.timers,
    }),
  );
  const administrators = composeAdministrators({ config, kv, tables, clock });
  const adminSignIn = composeAdministratorSignIn({
    ...{ config, kv, box, clock, ids, failed, guard: accounts.guard, totp: accounts.totp, audit: administration.audit },
    ...administrators,
    administratorPasswordSha256: parts.administratorPasswordSha256,
    publicUrl: () => portalUrl(config, links.publicUrl()),
    byPassword: (user, ipAddress) => access.authenticator.administratorByPassword(user, ipAddress),
  });
  const access: Access = add(
    composeAccess({
      config,
      kv,
      tables,
      patterns,
      clock,
      machineClock,
      partners: partners.partners,
      partnerApiCredentials: partnerApi.credentials,
      findMerchant: partnerApi.ofMerchants.merchantsByKey.merchantByKey,
      findAgent: withoutGuesses(agentCredentials.byToken, clock.monotonicMs),
      administratorPasswordSha256: parts.administratorPasswordSha256,
      portalSessions: accounts.sessions,
      administratorSessions: adminSignIn.sessions,
      isPasswordEnough: adminSignIn.isPasswordEnough,
      administration: administrators,
      loginCounts,
      observeLogins,
      lease,
    }),
  );
  const { authenticator } = access;
  const { directory } = access.operations;
  const fleet = createFleet({ terminals, configOf: cloudConfigs.get, isDenied: directory.isDenied, clock });
  const merchantsOfTerminals = { merchantOf, groupOf: (terminalId: string) => cloudConfigs.get(terminalId)?.group ?? null };
  const apps = add(
    await composeApps({ config, kv, tables, terminals, directory, merchants: merchantsOfTerminals, fleet, clock, ids, writer, failed }),
  );
  const fleetActions = add(
    composeFleetActions({ kv, bus, homes, clock, ids, fleet, relay, administration, apps: apps.operations, failed }),
  ).fleetActions;
  const { mount, stomp } = createStompMount({
    anonymousAllowed: config.mode === "sandbox",
    serverName: "terminal-relay",
    sessions: composed.sessions,
    directory,
    greeting: administration.configureTerminal.greeting,
    authenticator,
    recordResult: relay.recordResult,
    perAddress: createSocketsPerAddress({
      all: { counts: openSharedCounts(boot.open.sockets), max: () => openMax.current().socketsOfAddress },
      withoutLogin: { counts: openSharedCounts(boot.open.socketsWithoutLogin), max: () => openMax.current().socketsWithoutLoginOfAddress },
      refused: (bound) => {
        metrics.webSocketRefused(bound);
        log.webSocketRefused(bound);
      },
    }),
    clock,
    ids,
    onEvent: (event) => {
      if (event.type === "connected") metrics.stompConnected();
      else if (event.type === "ended") metrics.stompEnded(event.why);
      log.stomp(event);
    },
  });
  add({ tick: stomp.tick });
  // Sessions are counted on this node, because the home of a terminal may be another one.
  metrics.gauge("relay_sessions", "Open WebSockets of this node, logged in or not.", stomp.count);
  access.watch(stomp);
  const overview = composeOverview({
    kv,
    bus,
    homes,
    clock,
    presences: composed.presences,
    dayCounts,
    counts: composed.counts,
    deployments: apps.operations.appCatalog.deployments,
  });

  const intents = compat.over(links.links);
  const giveBack = createGiveBack({ links: links.links, intents: intents.intents, digest: sha256Hex });
  const alerts = add(
    composeAlerts({
      ...{ config, kv, bus, homes, clock, giveBack, activity, retentionMs, metrics, failed },
      ...{ links: links.links, holds: disputes.holds, disputes: disputes.disputes },
    }),
  );
  const linksOfPortal = {
    portalLinks: portalLinkOperations,
    portalLinkTasks: portalLinks.tasks,
    linkPages: {
      gateway: config.gatewayUrl === null ? null : new URL(config.gatewayUrl).origin,
      own: () => new URL(links.publicUrl()).origin,
    },
    paymentLinkUrl: (token: string) => `${links.publicUrl()}/l/${token}`,
    giveBack,
  };
  const reads = composeMerchantTransactions(bus);
  const ofDisputes = {
    ...{ disputes: disputes.disputes, disputeFeed: disputes.feed, disputeBoard: alerts.board, disputeTasks: alerts.tasks },
    ...{ alerts: alerts.alerts, alertFeed: alerts.feed },
    feedParties: createFeedParties({ merchants: createMerchantStore(kv), links: links.links, transactions: reads.merchantTransactions }),
  };
  const exported = add(
    await composeExports({
      ...{ config, boot, kv, bus, homes, clock, ids, metrics, failed, timers: parts.timers, sweeps: address === STORE_OWNER },
      ...{ merchantTransactions: reads.merchantTransactions, disputeBoard: alerts.board, users: teams.operations.users },
      ...{ portalLinks: portalLinkOperations, paymentLinkUrl: linksOfPortal.paymentLinkUrl },
      subscriptions: subscriptions.operations.subscriptions,
      subscriptionUrl: subscriptions.operations.subscriptionUrl,
    }),
  );
  const days = add(
    composeReconciliation({ config, kv, bus, homes, clock, machineClock, address, merchants: createMerchantStore(kv), metrics, failed }),
  );
  const surfaces = surfacesOf(config);
  const own = partnerApi.ofOwnMerchant(owners.ownersNotice.ofKeys, lookAtAll([agents.ofKey, webhooks.ofKey]));
  const once = { kv, clock, ids, secretBox: box, failed };
  const endpoints = bindSurfaces(surfaces, {
    ...relay,
    ...links.operations,
    ...adapter.operations,
    ...webhooks.operations,
    ...mails.operations,
    ...intents,
    ...linksOfPortal,
    ...branding,
    ...subscriptions.operations,
    ...ofDisputes,
    agentCredentials,
    ...partnerApi.ofMerchants,
    ...partners,
    ...partnerApi.operations,
    merchants: subscriptions.pausing(partnerApi.operations.merchants),
    ...own,
    ...administration,
    administerZvt: zvt.administerZvt,
    ...access.operations,
    ...adminSignIn.operations,
    ...accounts.operations,
    ...teams.operations,
    ...apps.operations,
    overview,
    fleet,
    fleetActions,
    ...composeSearch({
      ...{ kv, bus, terminals, unsolicited: composed.unsolicited, links: links.links, intent: compat.byId, portalLink: portalLinks.byId },
      subscription: subscriptions.byId,
      ...{ dispute: disputes.byId, alert: alerts.byId },
      ...{ registerRoutes: zvt.routes, partners: partners.partners, presences: composed.presences },
      configuredTerminals: () => [...cloudConfigs.values()].map(({ terminalId }) => terminalId),
      nodes: () => bus.request(MAIN, "node.list", undefined, METRICS_TIMEOUT_MS),
    }),
    ...composeMerchantPortal({
      ...{ boot, kv, clock, terminals, byMerchant, links: links.links, configOf: cloudConfigs.get, audit: administration.audit },
      ...{ ownMerchant: own.ownMerchant, localTime: relay.localTime },
      ...reads,
      searched: {
        ...{ portalLinks: portalLinkOperations, subscriptions: subscriptions.operations.subscriptions, timers: parts.timers },
        ...{ disputes: disputes.disputes, alerts: alerts.alerts },
        records: {
          ...{ portalLinks: portalLinks.search, subscriptions: subscriptions.search },
          ...{ disputes: disputes.search, alerts: alerts.search },
        },
      },
    }),
    merchantReports: reads.merchantReports,
    agentRefusals: createAgentRefusals(agentCredentials),
    merchantLogs,
    exports: exported.exports,
    reconciliation: days.reconciliation,
    clusterNodes: createClusterNodes(bus, MAIN),
    notReadyBecause: readiness.notReadyBecause,
    metrics: () => bus.request(MAIN, "node.metrics", undefined, METRICS_TIMEOUT_MS),
    mayReadMetrics: publicMetricsAccess(config),
    ...docsOperations(() => bus.request(MAIN, "node.docs", undefined, DOCS_TIMEOUT_MS), knownKeys(config)),
    ...parts.webFiles,
    agentCalls: composeAgentCalls({ memory: boot.agentRates, monotonicMs: clock.monotonicMs, others: parts.others, metrics }),
    executeOnce: createOnce(once),
    timers: parts.timers,
    ids,
    ...composeDemo({ config, ids, intents: intents.intents, merchantsByKey: partnerApi.merchantsByKey }),
  }).map(createIdempotency(once));

  return {
    endpoints,
    mounts: [mount],
    authenticator,
    signatures: adapter.signatures,
    terminals: composed,
    cluster: {
      joined: async () => {
        // This node was not notified of changes before it became a member. A single node made all
        // changes itself, before its shards loaded.
        if (cluster !== null) await tables.load();
        if (address === STORE_OWNER) await apps.tidy();
        await composed.start();
      },
      membershipExpired: async () => {
        stomp.endAll("the node was away");
        await tables.load();
        await composed.membershipExpired();
      },
    },
  };
}

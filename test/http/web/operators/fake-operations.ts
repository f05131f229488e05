import type { AttentionItemJson } from "../../../../http/surfaces/admin/attention.ts";
import type { AuditEntryJson } from "../../../../http/surfaces/admin/audit.ts";
import type { ClusterNodeJson } from "../../../../http/surfaces/admin/cluster.ts";
import type { DashboardJson } from "../../../../http/surfaces/admin/dashboard.ts";
import type {
  FleetActionItemJson,
  FleetActionJson,
  FleetSummaryJson,
  FleetTerminalJson,
} from "../../../../http/surfaces/admin/fleet/fleet-schemas.ts";
import type { MailJson, MailWithTextJson } from "../../../../http/surfaces/admin/mail-schemas.ts";
import type { MerchantJson } from "../../../../http/surfaces/admin/merchant-schemas.ts";
import type {
  AdminFactorsJson,
  AdminSessionStateJson,
  SearchHitJson,
  SearchResultJson,
} from "../../../../http/surfaces/admin/session-schemas.ts";
import type { TerminalLifeJson } from "../../../../http/surfaces/admin/terminal-life-schemas.ts";
import type { TerminalRecordJson } from "../../../../http/surfaces/admin/terminal-record.ts";
import type {
  DeploymentJson,
  MachineTokenJson,
  PartnerJson,
  PortalUserJson,
  RolloutProgressJson,
  RolloutTerminalJson,
  VersionJson,
} from "../../../../http/web/operators/api/types.ts";
import type { FakeHandler } from "../portal/fake-relay.ts";

export const UUID = "5b0f0f0e-1111-4222-8333-000000000001";

export function sessionOf(changes: Partial<AdminSessionStateJson> = {}): AdminSessionStateJson {
  return {
    stage: "full",
    methods: ["totp", "recovery"],
    username: "paola",
    role: "owner",
    steppedUpUntil: null,
    timeZone: "Europe/Rome",
    passkeys: true,
    mode: "production",
    ...changes,
  };
}

export const NOBODY = sessionOf({ stage: "none", methods: [], username: null, role: null });

export function itemOf(changes: Partial<AttentionItemJson> = {}): AttentionItemJson {
  return {
    id: `unknown/SIM00001/${UUID}`,
    kind: "unknown",
    at: "2026-11-25T09:15:30.000Z",
    terminalId: "SIM00001",
    uuid: UUID,
    detail: "The command was sent and no result came within its time.",
    raw: null,
    ...changes,
  };
}

/** In the order of the relay: by kind, terminal and uuid. */
export const ATTENTION: AttentionItemJson[] = [
  itemOf({
    id: "link_late/link/1",
    kind: "link_late",
    terminalId: "",
    uuid: "link-1",
    at: "2026-11-24T18:00:00.000Z",
    detail: "Paid after it had been shown as expired.",
  }),
  itemOf(),
  itemOf({
    id: "unknown/SIM00002/2",
    terminalId: "SIM00002",
    uuid: "5b0f0f0e-1111-4222-8333-000000000002",
    at: "2026-11-25T11:00:00.000Z",
  }),
  itemOf({
    id: "unreadable/SIM00003/3",
    kind: "unreadable",
    terminalId: "SIM00003",
    uuid: null,
    at: "2026-11-23T08:00:00.000Z",
    detail: "The outcome cannot be determined.",
    raw: '{"result":"MAYBE","card":"************4242","note":"a rather long line of which each word is kept as the terminal has posted it"}',
  }),
];

export function terminalOf(changes: Partial<TerminalRecordJson> = {}): TerminalRecordJson {
  return {
    terminalId: "SIM00001",
    connectionStatus: "ONLINE",
    connected: true,
    sessions: 1,
    connectionType: "WEBSOCKET",
    lastActivity: "2026-11-25T12:00:00.000Z",
    connectedSince: "2026-11-25T06:00:00.000Z",
    server: "relay-1",
    denied: false,
    queued: 1,
    awaitingResult: 0,
    device: {
      userAgent: "Relay/4.2 (Android 11)",
      ipAddress: "192.0.2.44",
      fingerprint: "9e107d9d372bb6826bd81d35",
      appVersion: "4.2.0",
      deviceModel: "P2",
    },
    ...changes,
  };
}

export const TERMINALS: TerminalRecordJson[] = [
  terminalOf(),
  {
    terminalId: "SIM00002",
    connectionStatus: "OFFLINE",
    connected: false,
    sessions: 0,
    lastSeen: "2026-11-24T20:00:00.000Z",
    denied: true,
    queued: 0,
    awaitingResult: 0,
    device: { appVersion: "4.1.0" },
  },
  {
    terminalId: "SIM00003",
    connectionStatus: "NEVER_CONNECTED",
    connected: false,
    sessions: 0,
    message: "This terminal has never connected",
    denied: false,
    queued: 0,
    awaitingResult: 0,
    device: {},
  },
];

export const FLEET: FleetTerminalJson[] = TERMINALS.map((terminal, index) => ({
  ...terminal,
  merchantId: index === 0 ? "SHOP-001" : null,
  group: index === 0 ? "pilot" : null,
}));

export const FLEET_SUMMARY: FleetSummaryJson = {
  matching: 1_204,
  complete: true,
  actionTerminalsMax: 1_000,
  versions: [
    { value: "4.1.0", terminals: 900 },
    { value: "4.2.0", terminals: 304 },
  ],
  models: [{ value: "P2", terminals: 1_100 }],
  groups: [{ value: "pilot", terminals: 12 }],
};

export function actionOf(changes: Partial<FleetActionJson> = {}): FleetActionJson {
  return {
    ...{ id: "fla_1", type: "LOGS", state: "RUNNING", createdBy: "paola", createdAt: "2026-11-25T11:00:00.000Z", endedAt: null },
    terminals: 3,
    counts: { PENDING: 1, SENT: 1, QUEUED: 0, APPLIED: 0, REFUSED: 1, SKIPPED: 0 },
    tasks: [
      { terminalId: "SIM00001", outcome: "SENT", refusal: null },
      { terminalId: "SIM00002", outcome: "REFUSED", refusal: "OFFLINE" },
      { terminalId: "SIM00003", outcome: "PENDING", refusal: null },
    ],
    ...changes,
  };
}

const { tasks: _, ...RUNNING } = actionOf();

export const ACTIONS: FleetActionItemJson[] = [
  RUNNING,
  { ...RUNNING, id: "fla_0", type: "SETTINGS", state: "STOPPED", endedAt: "2026-11-25T10:00:01.000Z", group: "pilot" },
];

export function hitOf(changes: Partial<SearchHitJson> = {}): SearchHitJson {
  return {
    kind: "command",
    id: UUID,
    terminalId: "SIM00001",
    merchantId: "SHOP-001",
    state: "OK",
    amountMinor: 1_250,
    currency: "EUR",
    createdAt: "2026-11-25T09:15:20.000Z",
    updatedAt: "2026-11-25T09:15:30.000Z",
    timeline: [
      { at: "2026-11-25T09:15:20.000Z", what: "accepted", detail: "partner:7" },
      { at: "2026-11-25T09:15:21.000Z", what: "sent", detail: null },
      { at: "2026-11-25T09:15:30.000Z", what: "result", detail: "OK" },
    ],
    attention: [],
    ...changes,
  };
}

export const FOUND: SearchResultJson = {
  items: [
    hitOf(),
    hitOf({
      kind: "payment_link",
      id: "plk_1a2b3c",
      terminalId: null,
      state: "PENDING",
      timeline: [],
      attention: ["link_late"],
      amountMinor: null,
      currency: null,
    }),
  ],
  clickhouse: "asked",
  places: [{ kind: "merchant", id: "SHOP-001", name: "Caffè Duomo" }],
  near: [],
};

export function partnerOf(changes: Partial<PartnerJson> = {}): PartnerJson {
  return {
    id: 7,
    username: "acme",
    gwTml: "GW000001",
    gwApiKey: "ACMEMER1",
    enabled: true,
    allowedOrigins: { shop: "https://shop.example" },
    terminalRule: { ruleType: "LIST", ruleValue: "SIM00001,SIM00002" },
    adapterMerId: null,
    partnerApi: { partnerCode: "ACME", name: "Acme Payments", role: "ADMIN", allowedServices: "[]", maxMerchants: 20, ipWhitelist: [] },
    rateLimits: {},
    createdAt: "2026-01-15T09:30:00.000Z",
    updatedAt: "2026-06-15T09:30:00.000Z",
    ...changes,
  };
}

export function merchantOf(changes: Partial<MerchantJson> = {}): MerchantJson {
  return {
    merchantId: "SHOP-001",
    merchantName: "Caffè Duomo",
    partnerId: 7,
    partnerName: "acme",
    environment: "TEST",
    active: true,
    services: ["PAYBYLINK"],
    createdAt: "2026-01-20T09:30:00.000Z",
    updatedAt: "2026-01-20T09:30:00.000Z",
    ...changes,
  };
}

export const PORTAL_USERS: { items: PortalUserJson[]; max: number } = {
  items: [
    {
      userId: "usr_1",
      email: "anna.rossi@example.com",
      role: "OWNER",
      state: "ACTIVE",
      secondFactor: true,
      invitedAt: "2026-03-02T08:00:00.000Z",
      invitationExpiresAt: null,
      joinedAt: "2026-03-02T09:30:00.000Z",
    },
    {
      userId: "usr_2",
      email: "luca.ferrari@example.com",
      role: "FINANCE",
      state: "INVITED",
      secondFactor: false,
      invitedAt: "2026-11-24T08:00:00.000Z",
      invitationExpiresAt: "2099-01-01T09:00:00.000Z",
      joinedAt: null,
    },
  ],
  max: 5,
};

export const VERSIONS: VersionJson[] = [
  {
    id: 3,
    versionCode: 42,
    versionName: "4.2.0",
    mandatory: false,
    releaseNotes: "",
    active: true,
    apkUrl: "https://relay.example/app.apk",
    md5: "9e107d9d372bb6826bd81d3542a419d6",
    fileSize: 18_874_368,
    createdAt: "2026-01-15T09:30:00.000Z",
  },
  {
    id: 2,
    versionCode: 41,
    versionName: "4.1.0",
    mandatory: true,
    releaseNotes: "",
    active: false,
    apkUrl: null,
    md5: null,
    fileSize: null,
    createdAt: "2025-11-15T09:30:00.000Z",
  },
];

export function deploymentOf(changes: Partial<DeploymentJson> = {}): DeploymentJson {
  return {
    id: 7,
    versionId: 3,
    target: "global",
    state: "active",
    rolloutPercent: 25,
    pauseAtFailurePercent: 20,
    pauseAfterReports: 10,
    counts: { offered: 812, downloaded: 790, installed: 661, failed: 44 },
    createdAt: "2026-01-15T09:40:00.000Z",
    changedAt: "2026-01-15T09:40:00.000Z",
    ...changes,
  };
}

export const DEPLOYMENTS: DeploymentJson[] = [
  deploymentOf(),
  deploymentOf({ id: 6, state: "paused", pausedBecause: "failures", target: "merchant", merchantId: "SHOP-001" }),
  deploymentOf({
    id: 5,
    versionId: 2,
    state: "superseded",
    target: "terminal",
    terminalId: "SIM00001",
    counts: { offered: 0, downloaded: 0, installed: 0, failed: 0 },
  }),
];

export const RINGS: DeploymentJson = deploymentOf({
  id: 8,
  rings: [
    { groups: ["pilot", "offices"], percent: 0 },
    { groups: [], percent: 25 },
    { groups: [], percent: 100 },
  ],
  ringsStarted: 2,
  advanceAfterReports: 20,
});

export function progressOf(deployment: DeploymentJson): RolloutProgressJson {
  return {
    deployment,
    counts: { INSTALLED: 661, DOWNLOADING: 85, WAITING: 12, OFFLINE: 10, FAILED: 44 },
    failures: [
      { reason: "INSTALL_FAILED_INSUFFICIENT_STORAGE: needs 120 MB of free space on the internal storage of the terminal", terminals: 40 },
      { reason: null, terminals: 4 },
    ],
    complete: true,
  };
}

export const ROLLOUT_TERMINALS: RolloutTerminalJson[] = [
  {
    ...{ terminalId: "SIM00001", state: "INSTALLED", reason: null, connectionStatus: "ONLINE" },
    ...{ appVersion: "4.2.0", deviceModel: "P2", lastSeen: null },
  },
  {
    ...{ terminalId: "SIM00002", state: "FAILED", reason: "needs 120 MB", connectionStatus: "OFFLINE" },
    ...{ appVersion: "4.1.0", deviceModel: null, lastSeen: "2026-11-24T20:00:00.000Z" },
  },
];

export function entryOf(changes: Partial<AuditEntryJson> = {}): AuditEntryJson {
  return {
    id: "1763700000000-shard-0-1a2b3c4d-000000002",
    at: "2026-11-25T11:00:00.000Z",
    actor: "administrator",
    username: "paola",
    role: "owner",
    ipAddress: "192.0.2.7",
    requestId: "req-1",
    action: "terminal.deny",
    subject: "SIM00002",
    members: [],
    outcome: "done",
    ...changes,
  };
}

export const AUDIT: AuditEntryJson[] = [
  entryOf(),
  entryOf({
    id: "1763700000000-shard-0-1a2b3c4d-000000001",
    username: "marco",
    role: "operator",
    action: "partner.create",
    subject: "acme",
    members: ["username", "gwTml"],
    outcome: "refused",
    code: "forbidden",
  }),
];

export function mailOf(changes: Partial<MailJson> = {}): MailJson {
  return {
    id: "inv_4fK2mQ8vX1cZ7nB3sD5gHj",
    kind: "invitation",
    to: "anna.rossi@example.com",
    merchantId: "SHOP-001",
    state: "QUEUED",
    attempts: 0,
    createdAt: "2026-11-25T10:00:00.000Z",
    expiresAt: "2026-11-28T10:00:00.000Z",
    endedAt: null,
    ...changes,
  };
}

export const MAILS: MailJson[] = [
  mailOf(),
  mailOf({ id: "pwr_1", kind: "password-reset", state: "SENT", attempts: 1, endedAt: "2026-11-24T10:00:05.000Z" }),
];

export const MAIL: MailWithTextJson = {
  ...mailOf(),
  subject: "You are invited to the portal",
  text: "Open https://relay.example/portal/invitation/0123456789 within 72 hours.",
};

export const DASHBOARD: DashboardJson = {
  at: "2026-11-25T12:00:00.000Z",
  day: "2026-11-25",
  terminals: { ONLINE: 120, WEBSOCKET: 100, POLLING: 20, OFFLINE: 8 },
  commands: { queued: 2, sent: 5, today: { done: 1_200, unknown: 1, expired: 3 } },
  results: { CARD: { OK: 1_100, KO: 60 }, SATISPAY: { OK: 40 } },
  links: { PENDING: 12, today: { success: 30, expired: 4 } },
  deployments: { active: 2, superseded: 5 },
  outbox: { depth: 3, depthCapped: false, oldestAgeSeconds: 1, setAside: 1 },
  nodes: [{ nodeId: "relay-1", shards: 3, startedAt: "2026-11-20T10:00:00.000Z" }],
};

export function nodeOf(changes: Partial<ClusterNodeJson> = {}): ClusterNodeJson {
  return {
    nodeId: "relay-1",
    incarnation: "relay-1#1",
    version: "0.2.0",
    shards: 3,
    since: "2026-11-20T10:00:00.000Z",
    state: "live",
    report: { terminals: 412, sessions: 380, commandsQueued: 1, commandsSent: 7, conflicts: 0, lapses: 0, stream: null },
    ...changes,
  };
}

export const NODES: ClusterNodeJson[] = [
  nodeOf(),
  nodeOf({ nodeId: "relay-2", incarnation: "relay-2#1", since: "2026-11-19T10:00:00.000Z", state: "gone", report: null }),
];

export function factorsOf(changes: Partial<AdminFactorsJson> = {}): AdminFactorsJson {
  return {
    totp: true,
    passkeys: [{ id: "pk_1", name: "Work laptop", createdAt: "2026-05-04T10:00:00.000Z", lastUsedAt: "2026-11-20T07:12:00.000Z" }],
    recoveryCodesLeft: 8,
    ...changes,
  };
}

export const LIFE: TerminalLifeJson = {
  command: {
    uuid: UUID,
    service: "PAYCC",
    state: "sent",
    amountMinor: 1_250,
    acceptedAt: "2026-11-25T09:15:20.000Z",
    sentAt: "2026-11-25T09:15:21.000Z",
    finishedAt: null,
    attempts: 1,
  },
  results: [
    {
      uuid: "5b0f0f0e-1111-4222-8333-000000000009",
      at: "2026-11-25T09:10:00.000Z",
      method: "CARD",
      status: "OK",
      amountMinor: 990,
      currency: "EUR",
    },
    {
      uuid: "5b0f0f0e-1111-4222-8333-000000000008",
      at: "2026-11-25T09:00:00.000Z",
      method: "SATISPAY",
      status: "KO",
      amountMinor: 4_500,
      currency: "EUR",
    },
  ],
  resultsAway: false,
  logs: [{ id: "l1", at: "2026-11-25T08:00:00.000Z", text: '{"level":"info","message":"paper is low"}' }],
};

const NO_LIFE: TerminalLifeJson = { command: null, results: [], resultsAway: true, logs: [] };

/** An owner, and all that the pages ask for. */
export const MACHINE_TOKENS: MachineTokenJson[] = [
  {
    ...{ name: "roll-outs", rights: ["read", "apps"], expired: false, createdBy: "paola" },
    ...{ expiresAt: "2027-02-23T09:00:00.000Z", createdAt: "2026-11-25T09:00:00.000Z" },
  },
  {
    ...{ name: "network-feed", rights: ["disputes"], expired: true, createdBy: "former-owner" },
    ...{ expiresAt: "2026-11-01T09:00:00.000Z", createdAt: "2026-08-03T09:00:00.000Z" },
  },
];

export const PAOLA: Readonly<Record<string, FakeHandler>> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /attention": () => ({ data: ATTENTION }),
  "GET /search": () => ({ data: FOUND }),
  "GET /terminals": ({ query }) => ({ data: TERMINALS.filter(({ terminalId }) => terminalId > (query.get("after") ?? "")) }),
  "GET /terminals/SIM00001": () => ({ data: TERMINALS[0] }),
  "GET /terminals/SIM00001/life": () => ({ data: LIFE }),
  "GET /terminals/SIM00002/life": () => ({ data: NO_LIFE }),
  "GET /terminals/SIM00002": () => ({ data: TERMINALS[1] }),
  "GET /fleet": () => ({ data: FLEET_SUMMARY }),
  "GET /fleet/terminals": () => ({ data: { items: FLEET, next: null } }),
  "GET /fleet/actions": () => ({ data: { items: ACTIONS, next: null } }),
  "GET /fleet/actions/*": () => ({ data: actionOf() }),
  "GET /app-versions": () => ({ data: VERSIONS }),
  "GET /app-deployments": () => ({ data: DEPLOYMENTS }),
  "GET /app-deployments/7/progress": () => ({ data: progressOf(deploymentOf()) }),
  "GET /app-deployments/8/progress": () => ({ data: progressOf(RINGS) }),
  "GET /app-deployments/*/terminals": ({ query }) => ({
    data: { items: ROLLOUT_TERMINALS.filter(({ state }) => state === (query.get("state") ?? state)), next: null },
  }),
  "GET /api/partners": () => ({
    data: [partnerOf(), partnerOf({ id: 8, username: "zeta", enabled: false, partnerApi: null, terminalRule: { ruleType: "ANY" } })],
  }),
  "GET /api/partners/7": () => ({ data: partnerOf() }),
  "GET /api/partners/7/merchants": () => ({
    data: [merchantOf(), merchantOf({ merchantId: "SHOP-002", merchantName: "Bar Centrale", environment: "LIVE", active: false })],
  }),
  "GET /api/merchants": ({ query }) => ({
    data: {
      items: [
        merchantOf(),
        merchantOf({ merchantId: "SHOP-002", merchantName: "Bar Centrale", environment: "LIVE", active: false }),
      ].filter(({ environment }) => environment === (query.get("environment") ?? environment)),
      next: null,
    },
  }),
  "GET /api/merchants/SHOP-001": () => ({ data: merchantOf() }),
  "GET /api/merchants/SHOP-001/portal-users": () => ({ data: PORTAL_USERS }),
  "GET /machine-tokens": () => ({ data: MACHINE_TOKENS }),
  "GET /audit": () => ({ data: AUDIT }),
  "GET /mails": () => ({ data: MAILS }),
  "GET /mails/*": () => ({ data: MAIL }),
  "GET /dashboard": () => ({ data: DASHBOARD }),
  "GET /cluster": () => ({ data: { nodes: NODES } }),
  "GET /factors": () => ({ data: factorsOf() }),
};

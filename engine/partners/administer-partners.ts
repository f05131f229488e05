import { isNoTerminal, type PatternCompiler, type TerminalRule } from "../access/terminal-rule.ts";
import { validateTerminalRule } from "../access/topic-access.ts";
import { formerAccounts, type SealedGatewayAccount } from "../gateway/gateway-account.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import {
  ALLOWED_ORIGINS_MAX,
  deletedPartner,
  KEY_GRACE_SECONDS_MAX,
  PARTNER_RATE_MAX,
  PARTNERS_MAX,
  type PartnerApiAccess,
  type PartnerRates,
  type PartnerRecord,
  type PartnerUnique,
  partnerPlace,
} from "./partner.ts";
import type { PartnerSecrets } from "./partner-secrets.ts";
import type { PartnerStore } from "./partner-store.ts";
import type { Partners } from "./partners.ts";

/** Rounds of a change that somebody else's change overtakes each time; only a storm of changes of one partner uses them up. */
const ATTEMPTS_MAX = 20;

/** Absent members stay as they are. */
export interface GatewayChange {
  terminalId?: string | undefined;
  merchantId?: string | undefined;
  secret?: string | undefined;
}

/** What a caller may say of a partner; absent members stay as they are, or have their defaults at creation. */
export interface PartnerChange {
  username?: string | undefined;
  password?: string | undefined;
  enabled?: boolean | undefined;
  gateway?: GatewayChange | undefined;
  /** The account that is kept for payments of TEST. */
  testGateway?: GatewayChange | undefined;
  allowedOrigins?: { readonly [name: string]: string } | undefined;
  terminals?: TerminalRule | undefined;
  /** Null takes the adapter's login away; its secret stays where only the merchant id is given. */
  adapter?: { merchantId?: string | undefined; secret?: string | undefined } | null | undefined;
  partnerApi?: PartnerApiEdit | undefined;
  /** All of them together: a rate that is left out is not raised. */
  rates?: PartnerRates | undefined;
}

/** What becomes of a partner's access to Partner API v1, whose rules are its own (administer-partner-api.ts). */
export type PartnerApiEdit = (id: number, before: PartnerApiAccess | null) => PartnerApiAccess | null;

export interface NewPartner extends PartnerChange {
  username: string;
  gateway: { terminalId: string; merchantId: string; secret: string };
}

/**
 * Creates and changes partners, for administrators (`/admin/api/partners`) and for partners themselves (`/api/partner`). Each change is in force on every shard
 * of every live node when it resolves. Throws RelayError `not_found` for a partner that there is not, and `invalid_request` for what is not allowed or
 * another's.
 */
export interface AdministerPartners {
  /** Shows the generated key, and the password where none was given, for the first and last time. */
  create(partner: NewPartner): Promise<{ partner: PartnerRecord; generatedPassword: string | null; apiKey: string }>;
  change(id: number, change: PartnerChange): Promise<PartnerRecord>;
  toggle(id: number): Promise<PartnerRecord>;
  /** Throws RelayError `conflict` where somebody else has done so already: whoever asked has looked at what is no longer so. */
  enable(id: number): Promise<PartnerRecord>;
  disable(id: number): Promise<PartnerRecord>;
  resetPassword(id: number): Promise<{ partner: PartnerRecord; password: string }>;
  /** The key before stops working at once, or after `graceSeconds`. */
  regenerateKey(id: number, graceSeconds: number): Promise<{ partner: PartnerRecord; apiKey: string }>;
  remove(id: number): Promise<PartnerRecord>;
  /**
   * Any other change of the record: `edit` gets it as it stands and answers how it should be; called again where somebody else was quicker. For parts
   * of the record that have rules of their own (Partner API).
   */
  edit(id: number, edit: (record: PartnerRecord) => PartnerRecord): Promise<PartnerRecord>;
}

export interface AdministerPartnersOptions {
  store: PartnerStore;
  partners: Partners;
  secrets: PartnerSecrets;
  box: SecretBox;
  patterns: PatternCompiler;
  clock: Clock;
  /** Logins of others, which a partner of this name could never use. */
  reservedUsernames: readonly string[];
  /** The rule of a new partner whose creation names none. */
  defaultRule: TerminalRule;
}

export function createAdministerPartners(options: AdministerPartnersOptions): AdministerPartners {
  const { store, partners, secrets, box, patterns, clock, reservedUsernames, defaultRule } = options;

  async function edit(id: number, change: (record: PartnerRecord) => PartnerRecord): Promise<PartnerRecord> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const before = await store.find(id);
      if (before === null || before.record.deletedAtMs !== null) throw unknownPartner();
      const after = { ...change(before.record), id, updatedAtMs: clock.nowMs() };
      const outcome = await store.replace(before, after);
      if (outcome.type === "stale") return CONFLICT;
      if (outcome.type === "taken") throw taken(outcome.what);
      await partners.propagate(id);
      return after;
    });
  }

  /** Throws RelayError `invalid_request` where the account of TEST would be incomplete, or the same as the other one. */
  function accountsOf(
    { id, gateway: before, testGateway: testBefore, formerGateways }: PartnerRecord,
    { gateway: change = {}, testGateway: testChange }: PartnerChange,
  ): Pick<PartnerRecord, "gateway" | "testGateway" | "formerGateways"> {
    const nowMs = clock.nowMs();
    const gateway = accountAfter(id, before, change);
    const former = formerAccounts(formerGateways, before, gateway.merchantId, nowMs);
    const testGateway = testChange === undefined ? testBefore : accountAfter(id, testBefore, testChange);
    if (testGateway === undefined) return { gateway, formerGateways: former };
    if (testGateway.merchantId === gateway.merchantId) {
      throw new RelayError("invalid_request", "gwApiKey: must differ from the live account's, so that no test reaches the live account");
    }
    return { gateway, testGateway, formerGateways: formerAccounts(former, testBefore, testGateway.merchantId, nowMs) };
  }

  function accountAfter(id: number, before: SealedGatewayAccount | undefined, change: GatewayChange): SealedGatewayAccount {
    const terminalId = change.terminalId ?? before?.terminalId;
    const merchantId = change.merchantId ?? before?.merchantId;
    const sealedSecret = change.secret === undefined ? before?.sealedSecret : sealed(id, "gwSecretKey", change.secret);
    if (terminalId === undefined || merchantId === undefined || sealedSecret === undefined) {
      throw new RelayError("invalid_request", "gwTml, gwApiKey and gwSecretKey: are all required, because no value is stored");
    }
    return { terminalId, merchantId, sealedSecret };
  }

  function check(change: PartnerChange): void {
    if (change.username !== undefined && reservedUsernames.some((name) => name.toLowerCase() === change.username?.toLowerCase())) {
      throw taken("username");
    }
    if (change.allowedOrigins !== undefined) checkOrigins(change.allowedOrigins);
    if (change.rates !== undefined) checkRates(change.rates);
    if (change.terminals !== undefined && !isNoTerminal(change.terminals)) validateTerminalRule(change.terminals, patterns);
  }

  function sealed(id: number, member: "gwSecretKey" | "adapterSecret", secret: string): string {
    return box.seal(secret, partnerPlace(id, member));
  }

  function adapterOf(id: number, before: PartnerRecord["adapter"], change: PartnerChange["adapter"]): PartnerRecord["adapter"] {
    if (change === undefined) return before;
    if (change === null) return null;
    const merchantId = change.merchantId ?? before?.merchantId;
    const sealedSecret = change.secret === undefined ? before?.sealedSecret : sealed(id, "adapterSecret", change.secret);
    if (merchantId === undefined) throw new RelayError("invalid_request", "adapterMerId: is required with adapterSecret");
    if (sealedSecret === undefined) throw new RelayError("invalid_request", "adapterSecret: is required with a first adapterMerId");
    return { merchantId, sealedSecret };
  }

  return {
    edit,
    create: async (draft) => {
      check(draft);
      if (partners.list().length >= PARTNERS_MAX)
        throw new RelayError("invalid_request", `There are already ${PARTNERS_MAX} partners; delete one first`);
      // Before the slow hash; the store decides.
      if (partners.byUsername(draft.username) !== null) throw taken("username");
      const generatedPassword = draft.password === undefined ? secrets.newPassword() : null;
      const [apiKey, nowMs] = [secrets.newApiKey(), clock.nowMs()];
      const passwordHash = await secrets.hashPassword(draft.password ?? generatedPassword ?? "");
      const outcome = await store.create((id) => ({
        schema: 1,
        id,
        username: draft.username,
        passwordHash,
        keySha256: secrets.digest(apiKey),
        previousKey: null,
        enabled: draft.enabled ?? true,
        gateway: {
          terminalId: draft.gateway.terminalId,
          merchantId: draft.gateway.merchantId,
          sealedSecret: sealed(id, "gwSecretKey", draft.gateway.secret),
        },
        allowedOrigins: draft.allowedOrigins ?? {},
        terminals: draft.terminals ?? defaultRule,
        adapter: adapterOf(id, null, draft.adapter),
        partnerApi: draft.partnerApi?.(id, null) ?? null,
        rates: draft.rates ?? {},
        sandbox: false,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
        deletedAtMs: null,
      }));
      if (outcome.type === "taken") throw taken(outcome.what);
      await partners.propagate(outcome.record.id);
      return { partner: outcome.record, generatedPassword, apiKey };
    },
    change: async (id, change) => {
      check(change);
      const passwordHash = change.password === undefined ? null : await secrets.hashPassword(change.password);
      return edit(id, (record) => ({
        ...record,
        ...accountsOf(record, change),
        username: change.username ?? record.username,
        passwordHash: passwordHash ?? record.passwordHash,
        enabled: change.enabled ?? record.enabled,
        allowedOrigins: change.allowedOrigins ?? record.allowedOrigins,
        terminals: change.terminals ?? record.terminals,
        adapter: adapterOf(id, record.adapter, change.adapter),
        partnerApi: change.partnerApi === undefined ? record.partnerApi : change.partnerApi(id, record.partnerApi),
        rates: change.rates ?? record.rates ?? {},
      }));
    },
    toggle: (id) => edit(id, (record) => ({ ...record, enabled: !record.enabled })),
    enable: (id) =>
      edit(id, (record) => {
        if (record.enabled) throw new RelayError("conflict", "The partner is already enabled");
        return { ...record, enabled: true };
      }),
    disable: (id) =>
      edit(id, (record) => {
        if (!record.enabled) throw new RelayError("conflict", "The partner is already disabled");
        return { ...record, enabled: false };
      }),
    resetPassword: async (id) => {
      const password = secrets.newPassword();
      const passwordHash = await secrets.hashPassword(password);
      return { partner: await edit(id, (record) => ({ ...record, passwordHash })), password };
    },
    regenerateKey: async (id, graceSeconds) => {
      if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > KEY_GRACE_SECONDS_MAX) {
        throw new RelayError("invalid_request", `graceSeconds: must be an integer of 0 to ${KEY_GRACE_SECONDS_MAX}`);
      }
      const apiKey = secrets.newApiKey();
      const untilMs = clock.nowMs() + graceSeconds * 1_000;
      const partner = await edit(id, (record) => ({
        ...record,
        keySha256: secrets.digest(apiKey),
        previousKey: graceSeconds === 0 ? null : { sha256: record.keySha256, untilMs },
      }));
      return { partner, apiKey };
    },
    remove: (id) => edit(id, (record) => deletedPartner(record, clock.nowMs())),
  };
}

export function unknownPartner(): RelayError {
  return new RelayError("not_found", "Partner not found");
}

const TAKEN: Readonly<Record<PartnerUnique, string>> = {
  username: "username: already exists",
  apiKey: "apiKey: already exists",
  adapterMerId: "adapterMerId: already exists",
  partnerCode: "partnerCode: already exists",
  partnerApiKey: "partnerApiKey: already exists",
};

function taken(what: PartnerUnique): RelayError {
  return new RelayError("invalid_request", TAKEN[what]);
}

export const ORIGIN_LENGTH_MAX = 255;
const ORIGIN_NAME_LENGTH_MAX = 64;

/** As a browser sends it, so that comparing texts is enough: without the port that goes without saying. */
export const ORIGIN_PATTERN = "^(?!http:.*:80$|https:.*:443$)https?://(?:[a-z0-9-]+(?:\\.[a-z0-9-]+)*|\\[[0-9a-f:.]+\\])(?::[0-9]{1,5})?$";
const ORIGIN = new RegExp(ORIGIN_PATTERN);

function checkRates(rates: PartnerRates): void {
  for (const [name, perSecond] of Object.entries(rates)) {
    if (perSecond === undefined || (Number.isInteger(perSecond) && perSecond >= 1 && perSecond <= PARTNER_RATE_MAX)) continue;
    throw new RelayError("invalid_request", `rateLimits.${name}: must be an integer of 1 to ${PARTNER_RATE_MAX}`);
  }
}

function checkOrigins(origins: { readonly [name: string]: string }): void {
  const entries = Object.entries(origins);
  if (entries.length > ALLOWED_ORIGINS_MAX)
    throw new RelayError("invalid_request", `origins: may have at most ${ALLOWED_ORIGINS_MAX} members`);
  for (const [name, origin] of entries) {
    if (name.length > ORIGIN_NAME_LENGTH_MAX) {
      throw new RelayError("invalid_request", `origins: a name may have at most ${ORIGIN_NAME_LENGTH_MAX} characters`);
    }
    if (origin.length > ORIGIN_LENGTH_MAX || !ORIGIN.test(origin)) {
      throw new RelayError(
        "invalid_request",
        `origins.${name.replace(/[^\x20-\x7e]/g, "?")}: must be an origin as browsers send it, such as https://shop.example`,
      );
    }
  }
}

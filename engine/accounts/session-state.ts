import type { MerchantUserGrant, SessionStage } from "../access/merchant-user-grant.ts";
import type { Clock } from "../kernel/clock.ts";
import { type FactorMethod, factorMethodsOf, LOCALES, type Locale, type Theme } from "./account.ts";
import type { AccountStore } from "./account-store.ts";
import type { Membership, Memberships } from "./memberships.ts";
import type { SessionRecord } from "./session.ts";

/** What a browser is told of its session. */
export interface SessionState {
  readonly stage: "none" | SessionStage;
  /** What the account has as second factor. */
  readonly methods: readonly FactorMethod[];
  readonly email: string | null;
  readonly locale: Locale;
  readonly theme: Theme;
  /** With the stage `full`: where the session is, and where else it may go. */
  readonly merchant: Membership | null;
  readonly merchants: readonly Membership[];
  /** Null where no second factor is fresh. */
  readonly steppedUpUntilMs: number | null;
}

/** The session as a request or a sign-in has it. */
export type ShownSession = Pick<SessionRecord, "stage" | "accountId" | "steppedUpUntilMs"> & { readonly merchantId: string | null };

/** Rejects with RelayError `unavailable`. */
export type FindSessionState = (session: ShownSession | MerchantUserGrant | null) => Promise<SessionState>;

const [DEFAULT_LOCALE] = LOCALES;

const NOBODY: SessionState = {
  stage: "none",
  methods: [],
  email: null,
  locale: DEFAULT_LOCALE,
  theme: "system",
  merchant: null,
  merchants: [],
  steppedUpUntilMs: null,
};

export interface SessionStateOptions {
  accounts: Pick<AccountStore, "load">;
  memberships: Pick<Memberships, "of">;
  clock: Clock;
}

export function createFindSessionState({ accounts, memberships, clock }: SessionStateOptions): FindSessionState {
  return async (session) => {
    const account = session === null ? null : await accounts.load(session.accountId);
    if (session === null || account === null) return NOBODY;
    const { email, locale, theme } = account.record;
    const person = { stage: session.stage, methods: factorMethodsOf(account.record), email, locale, theme };
    if (session.stage !== "full") return { ...NOBODY, ...person };
    const merchants = await memberships.of(account.record);
    const merchant = merchants.find(({ merchantId }) => merchantId === session.merchantId) ?? null;
    const steppedUpUntilMs = session.steppedUpUntilMs > clock.nowMs() ? session.steppedUpUntilMs : null;
    return { ...person, merchant, merchants, steppedUpUntilMs };
  };
}

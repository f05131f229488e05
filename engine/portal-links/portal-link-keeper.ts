import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Alongside } from "../links/link-store.ts";
import type { PortalLinkRecord } from "./portal-link.ts";
import type { PortalLinkChange } from "./portal-link-change.ts";
import type { PortalLinkStore } from "./portal-link-store.ts";

/** What is stored with a step of a portal link, and who is told once it is. */
export interface KeptBeside extends Alongside {
  committed?(): void;
}

/** Somebody who keeps account of portal links beside them, as the credentials of agents do of what their links come to. */
export interface PortalLinkKeeper {
  /** Whether there is anything to keep of a step. */
  keeps(change: PortalLinkChange): boolean;
  /** What is stored with the step or not at all. Reads what it needs anew; where one of its checks does not hold, it is asked again. */
  beside(change: PortalLinkChange): Promise<KeptBeside>;
  /** Runs work of which it is asked in turn, so that what changes one account in this thread does not conflict with itself. */
  inTurn<T>(record: PortalLinkRecord, work: () => Promise<T>): Promise<T>;
}

/** Rounds are lost to whoever else changes the same account from other threads, each of them in turn. */
const ROUNDS_MAX = 256;

/** The step with what its keeper stores with it. */
export async function withKept(change: PortalLinkChange, keeper: PortalLinkKeeper | undefined): Promise<PortalLinkChange> {
  if (keeper === undefined || !keeper.keeps(change)) return change;
  const { checks, operations, committed } = await keeper.beside(change);
  const also = [...change.also, ...operations];
  return { ...change, checks: [...(change.checks ?? []), ...checks], also, ...(committed === undefined ? {} : { committed }) };
}

/** Stores a step with what is kept beside it; null where another version of the link stands. While only the account is another one, the step is as right as before. */
export async function commitKept(
  change: PortalLinkChange,
  store: Pick<PortalLinkStore, "commit" | "load">,
  keeper: PortalLinkKeeper | undefined,
): Promise<PortalLinkChange | null> {
  if (keeper === undefined || !keeper.keeps(change)) return (await store.commit(change)) === null ? null : change;
  return keeper.inTurn(change.record, () =>
    retryOnConflict(ROUNDS_MAX, async () => {
      const all = await withKept(change, keeper);
      if ((await store.commit(all)) !== null) return all;
      const now = await store.load(change.record.id);
      return (now?.version ?? 0) === change.version ? CONFLICT : null;
    }),
  );
}

import { RelayError } from "../kernel/errors.ts";
import { type PortalLinkRecord, paidAttempt } from "../portal-links/portal-link.ts";
import type { PortalLinks } from "../portal-links/portal-links.ts";
import { isOver } from "../portal-links/rules.ts";
import type { CycleLinkState, CycleLinks } from "./cycle-links.ts";

/** Pays cycles with payment links of the portal. An attempt has one link, with the attempt's id. */
export function createPortalCycleLinks(portalLinks: Pick<PortalLinks, "createUncounted" | "cancel" | "find" | "verified">): CycleLinks {
  /** Returns the state at the gateway if somebody may be paying the link. */
  async function stateOf(link: PortalLinkRecord | null): Promise<CycleLinkState> {
    if (link === null) return { type: "ended", code: "link_gone" };
    const settled = settledState(link);
    if (settled !== null) return settled;
    const asked = (await portalLinks.verified(link.token)) ?? link;
    return settledState(asked) ?? { type: "open" };
  }

  return {
    create: async (order) => {
      const { id, merchantId, partnerId, livemode, amountMinor, currency, description, customerEmail, createdBy, expiresAtMs } = order;
      try {
        const created = await portalLinks.createUncounted(
          { merchantId, partnerId, livemode },
          { amountMinor, currency, description, reference: id, customerEmail, expiresAtMs },
          createdBy,
          { id, requestId: null },
        );
        if (created.type !== "created") return { type: "refused", code: created.type };
        return { type: "created", link: { id: created.link.id, token: created.link.token } };
      } catch (error) {
        if (error instanceof RelayError && error.code === "invalid_request") return { type: "refused", code: "invalid_order" };
        throw error;
      }
    },
    look: async (owner, { id }) => stateOf(await portalLinks.find(owner, id)),
    close: async (owner, { id }) => stateOf((await portalLinks.cancel(owner, id, { id: `close ${id}`, requestId: null }))?.link ?? null),
  };
}

/** Returns null if it can still be paid. */
function settledState({ state, attempts, paidAtMs, updatedAtMs }: PortalLinkRecord): CycleLinkState | null {
  if (state === "PAID") {
    const uuid = paidAttempt({ attempts })?.txId;
    return { type: "paid", atMs: paidAtMs ?? updatedAtMs, ...(uuid === undefined ? {} : { uuid }) };
  }
  if (state === "PENDING" || !attempts.every(isOver)) return null;
  return { type: "ended", code: state === "CANCELLED" ? "link_cancelled" : "link_expired" };
}

import { type Static, Type } from "@sinclair/typebox";
import type { PortalLinkAttempt, PortalLinkRecord } from "../../../../engine/portal-links/portal-link.ts";
import { PORTAL_LINK_STATES } from "../../../../engine/portal-links/words.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";
import { words } from "../../parts/schemas.ts";
import type { AgentOperations } from "../surface.ts";
import { refused } from "../tool.ts";
import { AmountMinor, amountText, CurrencyWord, nullable, time, written, writtenText } from "./schema-parts.ts";

export const LinkState = words(PORTAL_LINK_STATES, {
  description:
    "PENDING: the link can be paid. PAID: it was paid. CANCELLED: the merchant or its agent cancelled it. EXPIRED: its time is over.",
});

/** A link as its agent sees it: nothing of the customer. */
export const AgentLink = Type.Object({
  id: Type.String(),
  url: Type.String({ description: "Address for the customer. Anyone who has it may pay." }),
  state: LinkState,
  late: Type.Boolean({ description: "True if the link was paid after it was cancelled or had expired." }),
  amountMinor: AmountMinor,
  currency: CurrencyWord,
  description: written("Text that the customer reads."),
  reference: written("The merchant's own reference."),
  createdAt: time("when the link was created."),
  expiresAt: time("until when the link can be paid."),
  paidAt: nullable(time("when the link was paid.")),
  cancelledAt: nullable(time("when the link was cancelled.")),
  payments: Type.Array(
    Type.Object({
      uuid: Type.String({ description: "The uuid of its transaction." }),
      paidAt: time("when."),
      amountMinor: AmountMinor,
      currency: CurrencyWord,
      last4: nullable(Type.String({ description: "The last digits of the card." })),
      refund: words(["none", "unknown", "done"], {
        description: "The state of its refund. unknown: the gateway has not confirmed it yet.",
      }),
    }),
    { description: "Payments made by the link. There is more than one only if it was paid twice." },
  ),
});
export type AgentLinkJson = Static<typeof AgentLink>;

export function agentLink({ paymentLinkUrl }: Pick<AgentOperations, "paymentLinkUrl">, link: PortalLinkRecord): AgentLinkJson {
  const { id, token, order, state, late, createdAtMs, paidAtMs, cancelledAtMs, attempts } = link;
  const { amountMinor, currency, description, reference, expiresAtMs } = order;
  return {
    ...{ id, url: paymentLinkUrl(token), state, late, amountMinor, currency },
    ...{ description: writtenText(description), reference: writtenText(reference) },
    ...{ createdAt: iso(createdAtMs), expiresAt: iso(expiresAtMs), paidAt: isoOrNull(paidAtMs), cancelledAt: isoOrNull(cancelledAtMs) },
    payments: attempts.flatMap(paymentOf),
  };
}

function paymentOf({ txId, paid, refund }: PortalLinkAttempt): AgentLinkJson["payments"] {
  if (paid === null) return [];
  const { atMs, amountMinor, currency, cardLast4 } = paid;
  return [{ uuid: txId, paidAt: iso(atMs), amountMinor, currency, last4: cardLast4, refund }];
}

export function linkText({ id, url, state, amountMinor, currency, expiresAt, paidAt }: AgentLinkJson): string {
  const head = `Payment link ${id} of ${amountText(amountMinor, currency)} is ${state}.`;
  if (state === "PENDING") return `${head} The customer pays at ${url} until ${expiresAt}.`;
  return paidAt === null ? head : `${head} It was paid at ${paidAt}.`;
}

export function linkLine({ id, state, amountMinor, currency, createdAt }: AgentLinkJson): string {
  return `${id} ${state} ${amountText(amountMinor, currency)}, created ${createdAt}`;
}

/** The one answer for what is not there, and for links that this credential did not make. */
export function noSuchLink() {
  return refused("This credential has created no such payment link");
}

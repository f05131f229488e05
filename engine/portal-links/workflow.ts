import type { CommitPart } from "../kernel/commit-part.ts";
import { LINK_LIFETIME_MS, LINK_UNVERIFIED_MAX_MS } from "../kernel/limits.ts";
import { listPrefix, placeKey } from "../kernel/merchant-index-store.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import { compile } from "../kernel/statechart.ts";
import type { Workflow } from "../workflow/run-workflow.ts";
import { forCaller, mail, stepRecords, type Transition, type WorkflowDefinition, webhook } from "../workflow/workflow.ts";
import type { PortalLinkEffect, PortalLinkEvent } from "./events.ts";
import { tasksUntilMs } from "./link-tasks.ts";
import { portalLinkMachine } from "./machine.ts";
import { portalLinkRow } from "./object-row.ts";
import type { PortalLinkRecord } from "./portal-link.ts";

export type PortalLinkWorkflow = Workflow<PortalLinkRecord, PortalLinkEvent, PortalLinkEffect>;

export type PortalLinkOutcome = "created" | "paid" | "paid_late" | "paid_twice" | "expired" | "cancelled";

export interface PortalLinkDigests {
  /** For tokens, which are long and random and so need no key. */
  digest: Digest;
  /**
   * Returns a hex digest under a key of the installation. Without the key, nobody can check whether
   * an address is stored. All nodes compute the same digest, and it never changes.
   */
  keyedDigest(text: string): string;
}

/**
 * Exceeds the time for which a link at the gateway is tracked, so no attempt outlives its portal
 * link.
 */
const KEPT_BEYOND_MS = LINK_LIFETIME_MS + 3 * LINK_UNVERIFIED_MAX_MS;

const runMachine = compile(portalLinkMachine, ["tell", "mailPaid", "flagLate", "flagTwice", "settleTwice"]);

export const stepPortalLink = stepRecords(runMachine);

export function digestPaths({ digest, keyedDigest }: PortalLinkDigests) {
  return {
    token: (token: string) => digest(`token of a portal link ${token}`),
    customer: (merchantId: string, email: string) => `${keyedDigest(`customer of ${merchantId} ${email.trim().toLowerCase()}`)}/`,
    reference: (merchantId: string, reference: string) => `${keyedDigest(`reference of ${merchantId} ${reference}`)}/`,
  };
}

/**
 * Portal links are stored as `portal-link/<id>`. Their indexes sort them by time, state, customer
 * address and reference (both as keyed digests) and agent credential, and find them by token.
 * `portal-link-task/` has those that their merchant must check.
 */
export function portalLinkWorkflow(
  digests: PortalLinkDigests,
): WorkflowDefinition<PortalLinkRecord, PortalLinkEvent, PortalLinkEffect, PortalLinkOutcome> {
  const paths = digestPaths(digests);
  const atMs = ({ createdAtMs }: PortalLinkRecord) => createdAtMs;
  return {
    ...{ kind: "portalLink", label: "a payment link of the portal", objectType: "payment_link" },
    ...{ idPattern: /^pl_[a-z0-9]{24}$/, keyPrefix: PORTAL_LINKS },
    step: stepPortalLink,
    overdue: () => null,
    touch: "increasing",
    expiresAtMs: ({ record, atMs }, retentionMs) => Math.max(atMs, record.order.expiresAtMs) + retentionMs + KEPT_BEYOND_MS,
    indexes: [
      { prefix: "portal-link-token/", path: ({ token }) => paths.token(token), exact: true },
      { prefix: "portal-link-of/", path: (link) => listPrefix("", link), atMs },
      { prefix: "portal-link-state/", path: (link) => `${listPrefix("", link)}${link.state}/`, atMs },
      {
        prefix: "portal-link-customer/",
        path: (link) => {
          const { customerEmail } = link.order;
          return customerEmail === null ? null : listPrefix("", link) + paths.customer(link.merchantId, customerEmail);
        },
        atMs,
      },
      {
        prefix: "portal-link-reference/",
        path: (link) => {
          const { reference } = link.order;
          return reference === null ? null : listPrefix("", link) + paths.reference(link.merchantId, reference);
        },
        atMs,
      },
      {
        prefix: "portal-link-agent/",
        path: (link) => (link.createdBy.type === "agent" ? `${listPrefix("", link)}${link.createdBy.agentId}/` : null),
        atMs,
      },
    ],
    ownEntries: taskEntries,
    deadlines: {
      ...{ name: "portal-link", freePerSecond: 100 },
      bounds: { heldMax: 20_000, atOnceMax: 64, catchUpMs: 5_000, slackMs: 2_000 },
    },
    terminalOf: () => "-",
    effects: {
      tell: webhook(({ params }) => params.news),
      mailPaid: mail(),
      // Operators see these under the terminal of the attempt's link, whose commit has the items.
      ...{ flagLate: forCaller(), flagTwice: forCaller(), settleTwice: forCaller() },
    },
    reportRows: (record) => [portalLinkRow(record, digests.digest)],
    outcomesOf,
  };
}

export const PORTAL_LINKS = "portal-link/";

/** The entry expires with the tasks of the link. */
function taskEntries({ before, record, atMs }: Transition<PortalLinkRecord>, untilMs: number): CommitPart["operations"] {
  const key = placeKey(listPrefix("portal-link-task/", record), { atMs: record.createdAtMs, id: record.id });
  const expiresAtMs = tasksUntilMs(record, untilMs);
  if (expiresAtMs !== null && expiresAtMs > atMs) return [{ type: "put", key, value: record.id, expiresAtMs }];
  return before === null || tasksUntilMs(before, untilMs) === null ? [] : [{ type: "delete", key }];
}

function outcomesOf({ before, record }: Transition<PortalLinkRecord>): readonly PortalLinkOutcome[] {
  if (before === null) return ["created"];
  if (record.state === before.state) return paymentsOf(record) > paymentsOf(before) ? ["paid_twice"] : [];
  switch (record.state) {
    case "PAID":
      return [record.late ? "paid_late" : "paid"];
    case "EXPIRED":
      return ["expired"];
    case "CANCELLED":
      return ["cancelled"];
    case "PENDING":
      return [];
  }
}

function paymentsOf({ attempts }: PortalLinkRecord): number {
  return attempts.filter(({ state }) => state === "paid").length;
}

import { type Caller, senderOf } from "../../engine/access/caller.ts";
import type { Clock } from "../../engine/kernel/clock.ts";
import { cutText } from "../../engine/kernel/cut-text.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import { maskSchemePans } from "../../engine/kernel/mask.ts";
import type { AuditEntry } from "../../engine/operators/audit-entry.ts";
import type { AuditLog } from "../../engine/operators/audit-store.ts";
import { isMerchantId } from "../../engine/partners/merchant.ts";
import type { AuditedChange, BoundEndpoint, Input } from "./endpoint.ts";

const SUBJECT_LENGTH_MAX = 256;

/**
 * Writes calls of endpoints that declare `audit` to the audit log: an entry before the handler
 * runs, so that no change is missing, and its outcome afterwards. The log stores the names of the
 * body's declared members, and never their values.
 */
export function audited(endpoints: readonly BoundEndpoint[], log: AuditLog, clock: Clock): BoundEndpoint[] {
  return endpoints.map((endpoint) => {
    const { audit } = endpoint;
    if (audit === undefined || audit === "changes nothing") return endpoint;
    return {
      ...endpoint,
      run: async (input) => {
        const entry = entryOf(endpoint, audit, input, clock.nowMs());
        const id = await log.record(entry);
        try {
          const reply = await endpoint.run(input);
          await log.settle(id, entry, reply.status < 400 ? { type: "done" } : { type: "refused", code: String(reply.status) });
          return reply;
        } catch (error) {
          await log.settle(id, entry, { type: "refused", code: error instanceof RelayError ? error.code : "internal" });
          throw error;
        }
      },
    };
  });
}

function entryOf(endpoint: BoundEndpoint, audit: AuditedChange<Input>, input: Input, atMs: number): AuditEntry {
  const subject = audit.subject?.(input) ?? Object.values(input.params ?? {}).join(" ");
  const note = audit.note?.(input);
  const merchantId = merchantOf(input);
  return {
    atMs,
    actor: senderOf(input.caller),
    ...(merchantId === null ? {} : { merchantId }),
    username: usernameOf(input.caller),
    ...roleOf(input.caller),
    ipAddress: input.request.ipAddress,
    requestId: input.request.id,
    action: audit.action,
    subject: cutText(maskSchemePans(subject), SUBJECT_LENGTH_MAX),
    members: membersOf(endpoint, input.body),
    ...(note === undefined ? {} : { note: cutText(maskSchemePans(note), SUBJECT_LENGTH_MAX) }),
    outcome: { type: "begun" },
  };
}

/**
 * Returns the calling merchant, or else the merchant in the path. If it does not exist, the
 * response reports that, and nothing is written to its log.
 */
function merchantOf({ caller, params }: Input): string | null {
  if (caller.type === "merchantUser") return caller.user.merchantId;
  if (caller.type === "merchantKey") return caller.merchant.merchantId;
  if (caller.type === "agent") return caller.agent.merchantId;
  if (typeof params !== "object" || params === null || !("merchantId" in params)) return null;
  return typeof params.merchantId === "string" && isMerchantId(params.merchantId) ? params.merchantId : null;
}

function roleOf(caller: Caller): Pick<AuditEntry, "role"> {
  if (caller.type === "administrator") return { role: caller.role };
  return caller.type === "administratorSigningIn" ? { role: caller.session.role } : {};
}

function usernameOf(caller: Caller): string {
  switch (caller.type) {
    case "administrator":
    case "partner":
      return caller.username;
    case "administratorSigningIn":
      return caller.session.username;
    case "machine":
      return caller.name;
    case "terminal":
      return caller.terminalId;
    case "partnerApi":
      return caller.partner.partnerCode;
    case "merchantKey":
      return caller.merchant.merchantId;
    case "merchantUser":
      return caller.user.email;
    case "agent":
      return caller.agent.credentialId;
    case "fleet":
    case "anonymous":
      return "";
  }
}

/** Returns declared members only, because undeclared names may be anything. */
function membersOf({ body: schema }: BoundEndpoint, body: unknown): string[] {
  const declared: unknown = schema?.["properties"];
  if (typeof body !== "object" || body === null || typeof declared !== "object" || declared === null) return [];
  return Object.keys(declared).filter((name) => Object.hasOwn(body, name));
}

import { type Static, Type } from "@sinclair/typebox";
import { AuditOutcome, words } from "../parts/schemas.ts";
import { FromDay, nullable, ToDay, time } from "./schema-parts.ts";

/**
 * The JSON of a merchant's logs: changes, events of its objects, and outgoing calls. Endpoints
 * declare it, and the portal's pages take their types from it.
 */

export const AuditItem = Type.Object(
  {
    id: Type.String(),
    at: time("when the transition began."),
    actor: Type.String({
      description: "Who caused it: an e-mail address, masked for roles that do not see personal data, or `API key` for a merchant's key.",
    }),
    ipAddress: nullable(Type.String()),
    action: Type.String({ description: "`noun.verb`" }),
    subject: Type.String(),
    members: Type.Array(Type.String()),
    outcome: AuditOutcome,
    code: nullable(Type.String({ description: "Why the event was rejected." })),
    note: nullable(
      Type.String({ description: "The reason, in the words of the person who did it; null for roles that do not see personal data." }),
    ),
    requestId: Type.String(),
  },
  { title: "PortalAuditEntry" },
);

/**
 * The filters of GET /logs/workflow and GET /logs/calls, without PAGE_QUERY. The newest come first.
 */
export const LOG_FILTERS = {
  from: Type.Optional(FromDay),
  to: Type.Optional(ToDay),
  objectId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  outcome: Type.Optional(words(["done", "refused", "failed"], { title: "LogOutcome" })),
};
export const WorkflowLogItem = Type.Object(
  {
    id: Type.String(),
    at: time("when."),
    objectType: Type.String(),
    objectId: Type.String(),
    event: Type.String(),
    from: nullable(Type.String()),
    to: Type.String(),
    outcome: Type.String(),
    requestId: nullable(Type.String()),
  },
  { title: "WorkflowLogEntry" },
);
export const CallLogItem = Type.Object(
  {
    id: Type.String(),
    at: time("when the call began."),
    target: Type.String(),
    operation: Type.String(),
    host: Type.String(),
    objectId: Type.String(),
    httpStatus: nullable(Type.Integer()),
    outcome: Type.String(),
    detail: nullable(Type.String()),
    ms: Type.Integer(),
    requestId: nullable(Type.String()),
  },
  { title: "CallLogEntry" },
);

export type AuditItemJson = Static<typeof AuditItem>;
export type WorkflowLogJson = Static<typeof WorkflowLogItem>;
export type CallLogJson = Static<typeof CallLogItem>;

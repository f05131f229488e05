import { Type } from "@sinclair/typebox";
import { ADMINISTRATOR_ROLES } from "../../../engine/access/administrator-role.ts";
import { MACHINE_RIGHTS } from "../../../engine/access/machine-token.ts";
import { MERCHANT_ROLES } from "../../../engine/access/merchant-user-grant.ts";
import { SERVICE_CODES } from "../../../engine/access/partner-grant.ts";
import { EMAIL_LENGTH_MAX, LOCALES } from "../../../engine/accounts/account.ts";
import { RESERVED_WORDS } from "../../../engine/kernel/identifiers.ts";
import { IDENTIFIER_LENGTH_MAX } from "../../../engine/kernel/limits.ts";
import { MERCHANT_ENVIRONMENTS } from "../../../engine/partners/merchant.ts";
import { SERVICE_MODES } from "../../../engine/partners/merchant-service.ts";
import { KEYS_REASONS } from "../../../engine/partners/replace-keys.ts";
import { REFUND_FILTERS, REFUND_STATES } from "../../../engine/payments/merchant-transactions.ts";
import { WEBHOOK_DELIVERY_STATES } from "../../../engine/webhooks/webhook-delivery.ts";
import { WEBHOOK_DISABLED_REASONS } from "../../../engine/webhooks/webhook-endpoint.ts";

/** Choices of words that several surfaces have: each is one enumeration of the document, under its title. */

export function words<const T extends readonly string[]>(values: T, options: { title?: string; description?: string } = {}) {
  return Type.Union(
    values.map((value) => Type.Literal(value as T[number])),
    options,
  );
}

export const ActiveState = words(["ACTIVE", "INACTIVE"], { title: "ActiveState" });
export const AdministratorRoleWord = words(ADMINISTRATOR_ROLES, {
  title: "AdministratorRole",
  description:
    "`owner`: everything. `operator`: everything but administrators, partners' accounts and keys, and the gateway account. `read-only`: look.",
});
export const ConnectionStatus = words(["ONLINE", "OFFLINE", "NEVER_CONNECTED"], { title: "ConnectionStatus" });
export const ConnectionType = words(["WEBSOCKET", "POLLING"], { title: "ConnectionType" });
export const AuditOutcome = words(["begun", "done", "refused"], {
  title: "AuditOutcome",
  description: "An entry stays `begun` if the node stopped during the change: whether the change took effect is then not known.",
});
export const CardEntry = words(["MAN", "ICC", "NFC"], { title: "CardEntry" });
export const DeliveryState = words(WEBHOOK_DELIVERY_STATES, { title: "WebhookDeliveryState" });
export const Environment = words(MERCHANT_ENVIRONMENTS, {
  title: "MerchantEnvironment",
  description: "The purpose of the merchant. Whether money moves is decided by the `mode` of each service.",
});
export const KeysReason = words(KEYS_REASONS, { title: "KeysReason" });
export const LocaleWord = words(LOCALES, { title: "Locale" });
export const MachineRightWord = words(MACHINE_RIGHTS, {
  title: "MachineRight",
  description:
    "`read`: look, as the role `read-only`. `payments`: send payments, scans, prints and commands to terminals, and cancel them. `terminals`: settings, groups, rules, logins and logs of terminals, and cash registers. `apps`: versions and roll-outs. `disputes`: disputes and alerts. `webhooks`: resend deliveries and callbacks, disable endpoints. `operation`: drain nodes, clean up, remove items of attention, limit merchants' calls.",
});
export const MerchantRole = words(MERCHANT_ROLES, { title: "MerchantRole" });
export const RefundStateWord = words(REFUND_STATES, {
  title: "RefundState",
  description: "REFUNDED: all of the payment was given back. PARTLY_REFUNDED: a part of it, as of one that was captured partially.",
});
export const RefundFilterWord = words(REFUND_FILTERS, {
  title: "RefundFilter",
  description: "As `refundState`; `ANY` is REFUNDED or PARTLY_REFUNDED.",
});
export const RelayMode = words(["sandbox", "production"], { title: "RelayMode" });
export const ResultStatus = words(["OK", "KO"], { title: "ResultStatus" });
export const RuleType = words(["ANY", "LIST", "REGEX"], { title: "TerminalRuleType" });
export const ServiceWord = words(SERVICE_CODES, { title: "ServiceCode" });
export const ServiceMode = words(SERVICE_MODES, {
  title: "ServiceMode",
  description: "sandbox: the service's test system. live: money moves.",
});
export const SessionStage = words(["none", "factor", "enrol", "full"], {
  title: "SessionStage",
  description:
    "`factor`: the second factor is missing; `enrol`: there is none yet, and one has to be enrolled; `none`: nobody is signed in.",
});
export const UserState = words(["INVITED", "ACTIVE", "DISABLED"], { title: "UserState" });
export const WebhookDisabledReason = words(WEBHOOK_DISABLED_REASONS, {
  title: "WebhookDisabledReason",
  description:
    "gone: it answered 410. failing: nothing could be delivered for five days. key_leaked: the secret key that made it, or changed it, leaked and was replaced.",
});
export const WebhookFormat = words(["portal", "platform"], { title: "WebhookFormat" });
export const WebhookStatus = words(["enabled", "disabled"], { title: "WebhookStatus" });

const IDENTIFIER = { minLength: 1, maxLength: IDENTIFIER_LENGTH_MAX, pattern: "^[A-Za-z0-9._-]+$" };

export const TerminalId = Type.String({
  ...IDENTIFIER,
  pattern: `^(?!(?:${RESERVED_WORDS.join("|")})$)[A-Za-z0-9._-]+$`,
  errorMessage: "must be 1 to 64 letters, digits, dots, underscores or dashes, and not a word of another path",
  description: "Terminal identifier.",
});

/** A terminal that a body or a query names. */
export const NamedTerminalId = Type.String({ ...TerminalId, errorMessage: "is not a terminal id" });

/** The uuid of a command in the request that sends it, for the document: the engine reads it. */
export const COMMAND_UUID = { ...IDENTIFIER, type: "string", pattern: TerminalId.pattern ?? "" };

/** A path that names a terminal. */
export const TerminalParams = Type.Object({ terminalId: Type.String({ ...TerminalId, parameterName: "TerminalId" }) });

/** A path that names a transaction or command. */
export const UuidParams = Type.Object({
  uuid: Type.String({
    ...IDENTIFIER,
    parameterName: "Uuid",
    description: "Transaction or command id. The case of a UUID does not matter.",
  }),
});

const errorMessage = "must be an e-mail address";

/** Of a domain, which mail can be addressed to. */
const DOMAIN_LENGTH_MAX = 188;

/** The address of a person of the portal, which is read without the blanks around it and in lower case. */
const OF_PERSON = String.raw`^\s*[A-Za-z0-9!#$%&*+/=?^_\x60{|}~.'-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+\s*$`;

/** One that mail can be addressed to as it is. */
const OF_CUSTOMER = String.raw`^[!#-'*+\-/-9=?A-Z^-~.]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,186}[A-Za-z0-9])?$`;

export const PersonEmail = Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, pattern: OF_PERSON, errorMessage });

/** That of a person who is written to. */
export const ReachableEmail = Type.String({
  ...PersonEmail,
  pattern: OF_PERSON.replace("@", String.raw`@(?=[^\s]{1,${DOMAIN_LENGTH_MAX}}\s*$)`),
});

export const CustomerEmail = Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, pattern: OF_CUSTOMER, errorMessage });

/** A free text that says something; null where it is left out, null or empty. Forms send what nobody filled in as an empty text. */
export function givenText(text: string | null | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}

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

/** Declares a choice of words. Its title makes it one shared enumeration of the document. */

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
    "`owner` may do everything. `operator` may do everything except manage administrators, partners' accounts and keys, and the gateway account. `read-only` may only read.",
});
export const ConnectionStatus = words(["ONLINE", "OFFLINE", "NEVER_CONNECTED"], { title: "ConnectionStatus" });
export const ConnectionType = words(["WEBSOCKET", "POLLING"], { title: "ConnectionType" });
export const AuditOutcome = words(["begun", "done", "refused"], {
  title: "AuditOutcome",
  description: "An entry stays `begun` if the node stopped during the change: it is then unknown whether the change took effect.",
});
export const CardEntry = words(["MAN", "ICC", "NFC"], { title: "CardEntry" });
export const DeliveryState = words(WEBHOOK_DELIVERY_STATES, { title: "WebhookDeliveryState" });
export const Environment = words(MERCHANT_ENVIRONMENTS, {
  title: "MerchantEnvironment",
  description: "The purpose of the merchant. It does not decide whether money moves: the `mode` of each service does.",
});
export const KeysReason = words(KEYS_REASONS, { title: "KeysReason" });
export const LocaleWord = words(LOCALES, { title: "Locale" });
export const MachineRightWord = words(MACHINE_RIGHTS, {
  title: "MachineRight",
  description:
    "`read`: read what the role `read-only` may read. `payments`: send payments, scans, prints and commands to terminals, and cancel them. `terminals`: manage settings, groups, rules, logins and logs of terminals, and cash registers. `apps`: manage versions and deployments. `disputes`: manage disputes and alerts. `webhooks`: resend deliveries and callbacks, and disable endpoints. `operation`: drain nodes, clean up, remove attention items, and limit merchants' calls.",
});
export const MerchantRole = words(MERCHANT_ROLES, { title: "MerchantRole" });
export const RefundStateWord = words(REFUND_STATES, {
  title: "RefundState",
  description:
    "REFUNDED: the whole payment was refunded. PARTLY_REFUNDED: a part of it was refunded; for example, the payment was captured partially.",
});
export const RefundFilterWord = words(REFUND_FILTERS, {
  title: "RefundFilter",
  description: "Filters by `refundState`; `ANY` is REFUNDED or PARTLY_REFUNDED.",
});
export const RelayMode = words(["sandbox", "production"], { title: "RelayMode" });
export const ResultStatus = words(["OK", "KO"], { title: "ResultStatus" });
export const RuleType = words(["ANY", "LIST", "REGEX"], { title: "TerminalRuleType" });
export const ServiceWord = words(SERVICE_CODES, { title: "ServiceCode" });
export const ServiceMode = words(SERVICE_MODES, {
  title: "ServiceMode",
  description: "sandbox: the test system of the service. live: money moves.",
});
export const SessionStage = words(["none", "factor", "enrol", "full"], {
  title: "SessionStage",
  description:
    "What sign-in still needs. `factor`: the second factor is missing. `enrol`: the account has no second factor yet and must enrol one. `none`: nobody is signed in.",
});
export const UserState = words(["INVITED", "ACTIVE", "DISABLED"], { title: "UserState" });
export const WebhookDisabledReason = words(WEBHOOK_DISABLED_REASONS, {
  title: "WebhookDisabledReason",
  description:
    "gone: the endpoint answered 410. failing: nothing could be delivered for five days. key_leaked: the secret key that created or changed the endpoint leaked and was replaced.",
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

export const NamedTerminalId = Type.String({ ...TerminalId, errorMessage: "is not a terminal id" });

/**
 * The uuid of a command in the request that sends it. It is for the document only, because the
 * engine validates it.
 */
export const COMMAND_UUID = { ...IDENTIFIER, type: "string", pattern: TerminalId.pattern ?? "" };

export const TerminalParams = Type.Object({ terminalId: Type.String({ ...TerminalId, parameterName: "TerminalId" }) });

export const UuidParams = Type.Object({
  uuid: Type.String({
    ...IDENTIFIER,
    parameterName: "Uuid",
    description: "Id of the transaction or command. The case of a UUID does not matter.",
  }),
});

const errorMessage = "must be an e-mail address";

/** The maximum length of a domain in a mail address. */
const DOMAIN_LENGTH_MAX = 188;

/**
 * The address of a person of the portal. Surrounding blanks are ignored, and it is read in lower
 * case.
 */
const OF_PERSON = String.raw`^\s*[A-Za-z0-9!#$%&*+/=?^_\x60{|}~.'-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+\s*$`;

/** An address that mail can be sent to without changes. */
const OF_CUSTOMER = String.raw`^[!#-'*+\-/-9=?A-Z^-~.]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,186}[A-Za-z0-9])?$`;

export const PersonEmail = Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, pattern: OF_PERSON, errorMessage });

/** The address of a person who receives mail. */
export const ReachableEmail = Type.String({
  ...PersonEmail,
  pattern: OF_PERSON.replace("@", String.raw`@(?=[^\s]{1,${DOMAIN_LENGTH_MAX}}\s*$)`),
});

export const CustomerEmail = Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, pattern: OF_CUSTOMER, errorMessage });

/**
 * Returns the text, or null if it is absent, null or empty. Forms send an empty text for an empty
 * field.
 */
export function givenText(text: string | null | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}

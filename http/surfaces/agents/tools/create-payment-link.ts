import { type Static, Type } from "@sinclair/typebox";
import { senderOf } from "../../../../engine/access/caller.ts";
import type { AgentLinkOutcome } from "../../../../engine/agents/agent-credentials.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { AMOUNT_MINOR_MAX, LINK_TEXT_LENGTH_MAX } from "../../../../engine/kernel/limits.ts";
import { PORTAL_LINK_HOURS_DEFAULT, PORTAL_LINK_HOURS_MAX, PORTAL_LINK_HOURS_MIN } from "../../../../engine/portal-links/words.ts";
import { digestOf, IDEMPOTENCY_KEY_LENGTH_MAX } from "../../../endpoint/idempotency.ts";
import { givenText } from "../../parts/schemas.ts";
import type { AgentOperations } from "../surface.ts";
import { agentTool, refused, type ToolCall, type ToolOutcome } from "../tool.ts";
import { limitText } from "./limit-text.ts";
import { AgentLink, agentLink, linkText } from "./link-json.ts";

const NAME = "create_payment_link";
const HOUR_MS = 3_600_000;

const Order = Type.Object(
  {
    idempotencyKey: Type.String({
      pattern: `^[!-~]{1,${IDEMPOTENCY_KEY_LENGTH_MAX}}$`,
      errorMessage: `must be 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters, no spaces`,
      description:
        "A key that you choose, a new one for each new link, such as a random UUID. If you do not know the outcome of a call, repeat it with the same key and the same arguments: the tool then returns the same link and creates no second one.",
    }),
    amountMinor: Type.Integer({
      minimum: 1,
      maximum: AMOUNT_MINOR_MAX,
      description: "Amount in minor units of the currency: 1050 in EUR is 10.50.",
    }),
    currency: Type.String({
      pattern: "^[A-Z]{3}$",
      errorMessage: "must be an ISO 4217 code such as EUR",
      description: "ISO 4217, such as EUR.",
    }),
    description: Type.String({ minLength: 1, maxLength: LINK_TEXT_LENGTH_MAX, description: "Text that the customer reads on the page." }),
    reference: Type.Optional(Type.String({ maxLength: LINK_TEXT_LENGTH_MAX, description: "Your own reference, such as an order number." })),
    expiresInHours: Type.Optional(
      Type.Integer({
        minimum: PORTAL_LINK_HOURS_MIN,
        maximum: PORTAL_LINK_HOURS_MAX,
        default: PORTAL_LINK_HOURS_DEFAULT,
        description: `Hours until the link expires; ${PORTAL_LINK_HOURS_DEFAULT} if absent.`,
      }),
    ),
  },
  // A misspelt member would change what is paid.
  { additionalProperties: false },
);

export const createPaymentLinkTool = agentTool({
  name: NAME,
  title: "Create a payment link",
  description:
    "Creates an address where a customer pays an amount once, by card. The relay sends nothing to anybody: give `url` to the customer. The limits of your credential apply; an error names the limit that was reached and the remaining amount.",
  scope: "links:create",
  effects: { readOnly: false, destructive: false },
  input: Order,
  output: AgentLink,
  run: (operations, call) => once(operations, call, (operationId) => create(operations, call, operationId)),
});

type Outcome = ToolOutcome<Static<typeof AgentLink>>;
type Call = ToolCall<Static<typeof Order>>;

/** Nothing was made, so that the key may be used again. */
class NothingMade extends Error {
  readonly outcome: Outcome;

  constructor(outcome: Outcome) {
    super(outcome.text);
    this.outcome = outcome;
  }
}

/**
 * Executes a call once for its key, as `Idempotency-Key` does for the endpoints (http/endpoint/idempotency.ts); keys are the credential's own. Only a link that was made is kept: what was refused has
 * done nothing, and may be permitted later, or in part.
 */
async function once(
  { executeOnce }: Pick<AgentOperations, "executeOnce">,
  { agent, args }: Call,
  run: (operationId: string) => Promise<Outcome>,
): Promise<Outcome> {
  const { idempotencyKey, ...order } = args;
  const request = {
    scope: digestOf([senderOf({ type: "agent", agent }), agent.credentialId, NAME, idempotencyKey]),
    fingerprint: digestOf([order]),
    frees: (error: unknown) => error instanceof NothingMade || (error instanceof RelayError && error.code === "invalid_request"),
    // It has the address by which the link is paid.
    sealed: true,
  };
  const outcome = await executeOnce(request, async (operationId) => {
    const made = await run(operationId);
    if (made.type !== "done") throw new NothingMade(made);
    return { text: JSON.stringify(made), final: true };
  }).catch((error: unknown) => {
    if (error instanceof NothingMade) return error;
    throw error;
  });
  if (outcome instanceof NothingMade) return outcome.outcome;
  switch (outcome.type) {
    case "answered": {
      const answered: Outcome = JSON.parse(outcome.text);
      return answered;
    }
    case "differs":
      return refused("idempotencyKey: was used with other arguments; a new link needs a new key");
    case "running":
      return refused("idempotencyKey: the first call with this key is still in progress; repeat this call in a second");
  }
}

async function create(operations: AgentOperations, { agent, args, requestId }: Call, operationId: string): Promise<Outcome> {
  const { amountMinor, currency, description, expiresInHours } = args;
  const expiresAtMs = operations.clock.nowMs() + (expiresInHours ?? PORTAL_LINK_HOURS_DEFAULT) * HOUR_MS;
  // What an agent knows of customers it does not give away here: a person sends the link by mail, in the portal.
  const order = { amountMinor, currency, description, reference: givenText(args.reference), customerEmail: null, expiresAtMs };
  return outcomeOf(operations, await operations.agentCredentials.createLink(agent, order, { id: operationId, requestId }));
}

function outcomeOf(operations: AgentOperations, made: AgentLinkOutcome): Outcome {
  switch (made.type) {
    case "created": {
      const link = agentLink(operations, made.link);
      return { type: "done", structured: link, text: linkText(link) };
    }
    case "no_account":
      return refused("The partner of this merchant has no account at the card gateway; the merchant must ask its partner for one");
    case "other_environment":
      return refused("The merchant has moved to its other environment, and its partner has no account at the card gateway for this one");
    case "refused":
      return refused(limitText(made));
    case "ended":
      return refused(
        made.state === "REVOKED"
          ? "This credential was revoked; ask the merchant for another one"
          : "This credential has expired; ask the merchant for another one",
      );
  }
}

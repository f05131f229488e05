import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { AnyStateMachine } from "xstate";
import { alertMachine } from "../../engine/alerts/machine.ts";
import { agentCredentialMachine } from "../../engine/agents/machine.ts";
import { appDeploymentMachine } from "../../engine/apps/machine.ts";
import { disputeMachine } from "../../engine/disputes/machine.ts";
import { intentMachine } from "../../engine/intents/machine.ts";
import { QUEUED_COMMANDS_MAX, SENT_COMMANDS_MAX } from "../../engine/kernel/limits.ts";
import { readChart } from "../../engine/kernel/statechart.ts";
import { followUpMachine } from "../../engine/links/follow-up-machine.ts";
import { linkMachine } from "../../engine/links/machine.ts";
import { portalLinkMachine } from "../../engine/portal-links/machine.ts";
import { subscriptionMachine } from "../../engine/subscriptions/machine.ts";
import { commandMachine } from "../../engine/terminals/command-machine.ts";
import { machinePage } from "../support/browser/machine-page.ts";

const FOLDER = new URL("../../infra/docs/machines/", import.meta.url);
const HOW = "UPDATE_GOLDEN=1 npm test -- golden/machines writes it anew.";

interface Page {
  file: string;
  machine: AnyStateMachine;
  title: string;
  text: string;
}

const PAGES: Page[] = [
  {
    file: "command.md",
    machine: commandMachine,
    title: "The life of a command",
    text: `What the relay promises of a command is in this machine ([engine/terminals/command-machine.ts](../../../engine/terminals/command-machine.ts)): it never
goes to two devices unless the first one said that it has not executed it, or its client has declared that it remembers uuids; \`expired\`
is said only of what never left; and \`cancelled\` only of what never left, or on the terminal's own word.

Each command of a terminal is stepped by it. Which command is next, how many may wait (${QUEUED_COMMANDS_MAX}) and how many may await their
results (${SENT_COMMANDS_MAX}) is the terminal's ([step-terminal.ts](../../../engine/terminals/step-terminal.ts)). Callers see \`queued\` and \`returned\` as \`queued\`, and \`sent\`, \`held\`,
\`resent\` and \`withdrawn\` as \`sent\`. The state is not stored: the entry in the terminal's record tells it.`,
  },
  {
    file: "link.md",
    machine: linkMachine,
    title: "A payment link",
    text: `What the relay believes of a payment by link, and when it asks the gateway ([engine/links/machine.ts](../../../engine/links/machine.ts); [links.md](../links.md) has the rules in words).
Only a verify says that a link was paid, and what is paid stays so. A gateway that cannot be asked ends nothing until a week has passed.

The record tells the state. \`overdue\` is stored as \`created\`, \`waiting\` or \`watching\`, which says how far it had come, with \`overdue: true\`; callers see it as PENDING
with \`unverified: true\`. \`revoked\` is stored as \`failed\` with \`revoked: true\`. The effects are \`verify\` (the gateway is asked), \`reverse\` (it is had give the money back), \`ended\` (a row for
ClickHouse), and what operators are told: \`flagLate\`, \`flagAmount\`, \`flagOverdue\`, \`flagReversal\`, \`settleOverdue\`. Captures, reversals and refunds of a paid link live each by a machine of its own ([follow-up.md](follow-up.md)).`,
  },
  {
    file: "follow-up.md",
    machine: followUpMachine,
    title: "A capture, reversal or refund of a payment link",
    text: `Whether the gateway has executed it, and whom to believe ([engine/links/follow-up-machine.ts](../../../engine/links/follow-up-machine.ts)). A link steps each of its own by it; which
ones may be asked for, with which amount, and what operators are told of all of them together is the link's
([follow-ups.ts](../../../engine/links/follow-ups.ts)).

It is born as \`requested\`, stored before the gateway is asked under its id, which the gateway executes once. The record tells the state: \`requested\`, \`repeated\` and
\`doubted\` are stored as \`requested\`, \`found\` and \`done\` as \`done\`. \`totals.read\` is what a verify of the link says of it.`,
  },
  {
    file: "intent.md",
    machine: intentMachine,
    title: "A payment intent",
    text: `Which attempt at a payment may begin, which payment counts, and what its merchant is told ([engine/intents/machine.ts](../../../engine/intents/machine.ts)). Each
attempt is a payment link with a machine of its own ([link.md](link.md)); the commits that change a link step its intent, so that one is never known without the other
([intent-companion.ts](../../../engine/intents/intent-companion.ts)).

The record tells the state (\`statusOf\` of [intent.ts](../../../engine/intents/intent.ts)); it is not stored. The effects are what is told by webhooks: \`tell\` of the intent,
\`tellOfAttempt\` of charges and refunds, by what has become of one since ([rules.ts](../../../engine/intents/rules.ts)).`,
  },
  {
    file: "portal-link.md",
    machine: portalLinkMachine,
    title: "A payment link of the portal",
    text: `Which attempt at it may begin, what a payment counts as, and what its merchant is told ([engine/portal-links/machine.ts](../../../engine/portal-links/machine.ts)). Each
attempt is a payment link at the gateway with a machine of its own ([link.md](link.md)); the commits that change that link step the portal link, so that one is never known without the other
([portal-link-companion.ts](../../../engine/portal-links/portal-link-companion.ts)).

The effects are stored with the step: \`tell\` (a webhook event), \`mailPaid\` (mails to its people), and what operators are told, \`flagLate\`, \`flagTwice\` and \`settleTwice\`.`,
  },
  {
    file: "dispute.md",
    machine: disputeMachine,
    title: "A dispute",
    text: `Who may say what of a dispute when, and what its merchant is told ([engine/disputes/machine.ts](../../../engine/disputes/machine.ts)). What its deadline, its reminders, its responses and
its files want next follows from the record ([rules.ts](../../../engine/disputes/rules.ts)), and is done by
[dispute-deadlines.ts](../../../engine/disputes/dispute-deadlines.ts). In every state but WON nothing of its payment is given back.

The effects are stored with the step: \`tell\` (a webhook event), \`mailReceived\` and \`mailReminder\` (mails to its people), and \`flagUndelivered\` (operators are told).`,
  },
  {
    file: "alert.md",
    machine: alertMachine,
    title: "An alert",
    text: `Whether the payment of an alert is given back, by whom, and what its merchant is told ([engine/alerts/machine.ts](../../../engine/alerts/machine.ts)). A refund is stored before the gateway
is asked, under one id; what became of it is looked up until it is known, in every state ([alert-refunder.ts](../../../engine/alerts/alert-refunder.ts)).

The effects are \`tell\` (a webhook event), what operators are told (\`flagFailed\`, \`flagUnknown\`, \`settleUnknown\`, \`flagTwice\`), all stored with the step, and \`askRefund\`: whoever has stored the
step asks the gateway.`,
  },
  {
    file: "subscription.md",
    machine: subscriptionMachine,
    title: "A subscription",
    text: `When a payment is asked for, what its outcome counts as, and what its merchant and its customer are told ([engine/subscriptions/machine.ts](../../../engine/subscriptions/machine.ts)).
An attempt is stored before it is asked for ([collect.ts](../../../engine/subscriptions/collect.ts)), and no other one begins, and nothing ends by time, before its outcome is known
([rules.ts](../../../engine/subscriptions/rules.ts)).

The effects are stored with the step: \`tell\` (a webhook event), \`mail\` (to the customer), and what operators are told, \`flagLate\` and \`flagTwice\`; but for \`ask\`, which asks for the
attempt that the step has begun. That it is not known for long what became of an attempt, operators are told as long as the record says so
([workflow.ts](../../../engine/subscriptions/workflow.ts)).`,
  },
  {
    file: "agent-credential.md",
    machine: agentCredentialMachine,
    title: "A credential of an AI agent",
    text: `What its links have come to, and whether it can still be used ([engine/agents/machine.ts](../../../engine/agents/machine.ts)). Each step about a link is stored by the commit that
changes that link ([agent-link-keeper.ts](../../../engine/agents/agent-link-keeper.ts), [portal-link.md](portal-link.md)), so that one is never known without the other. How many links an hour has is counted
where they are made ([rules.ts](../../../engine/agents/rules.ts)).

The effect \`tell\`, a webhook event, is stored with the step.`,
  },
  {
    file: "deployment.md",
    machine: appDeploymentMachine,
    title: "An app deployment",
    text: `Whether one version of the terminal app is offered to one target ([engine/apps/machine.ts](../../../engine/apps/machine.ts)). Its one effect, \`offerChanged\`,
says that every shard has to know.`,
  },
];

describe("the pages of machines", () => {
  for (const { file, machine, title, text } of PAGES) {
    it(`${file} is what the machine says (UPDATE_GOLDEN=1 writes it anew)`, () => {
      const place = new URL(file, FOLDER);
      const page = machinePage(readChart(machine), { title, text, how: HOW });
      if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(place, page);
      assert.equal(page, readFileSync(place, "utf8"), HOW);
    });
  }
});

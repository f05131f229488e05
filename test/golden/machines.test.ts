import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import type { AnyStateMachine } from "xstate";
import { appDeploymentMachine } from "../../engine/apps/machine.ts";
import { QUEUED_COMMANDS_MAX, SENT_COMMANDS_MAX } from "../../engine/kernel/limits.ts";
import { readChart } from "../../engine/kernel/statechart.ts";
import { commandMachine } from "../../engine/terminals/command-machine.ts";
import { machinePage } from "../support/machine-page.ts";

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

import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join, resolve } from "node:path";
import { nodeEnvironment } from "../../support/toolchains.ts";
import { askProgram } from "../ask-program.ts";
import type { ClientTrial } from "../trial.ts";
import { agentLife } from "./agent-life.ts";
import { clientHeldTo } from "./own-client.ts";

const GROUP = "Model Context Protocol";

const TRIED =
  "an agent's tools by its scopes; a link that is created twice under one key, refused by a limit, paid by a customer, read PAID and not cancelled any more; a scope that is not held, a tool that is not there; a revoked token";

const HERE = resolve(import.meta.dirname);
let program: string | null = null;

export const MCP_TRIALS: readonly ClientTrial[] = [
  {
    group: GROUP,
    client: "@modelcontextprotocol/client (npm), by version 2025-11-25 of the protocol",
    version: "2.4.0",
    tried: TRIED,
    result: "works",
    quick: true,
    prepare: async () => null,
    run: () => agentLife(clientHeldTo("legacy"), "2025-11-25"),
  },
  {
    group: GROUP,
    client: "@modelcontextprotocol/client (npm), by version 2026-07-28 of the protocol",
    version: "2.4.0",
    tried: TRIED,
    result: "works",
    quick: true,
    prepare: async () => null,
    run: () => agentLife(clientHeldTo({ pin: "2026-07-28" }), "2026-07-28"),
  },
  {
    group: GROUP,
    client: "@modelcontextprotocol/sdk (npm)",
    version: "1.32.2",
    tried: TRIED,
    result: "works, by version 2025-11-25 of the protocol",
    prepare: async () => {
      try {
        const folder = await nodeEnvironment({ name: "mcp-sdk", folder: "trials/mcp/node" });
        program = join(folder, "client.mjs");
        await cp(join(HERE, "node/client.mjs"), program);
        return null;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
    run: () => {
      assert.ok(program, "it was not prepared");
      const command = { command: process.execPath, args: [program] };
      return agentLife((question) => askProgram(command, question), "2025-11-25");
    },
  },
];

import assert from "node:assert/strict";
import type { Program } from "../../support/program.ts";
import { type Installed, javaProgram, pythonProgram } from "../../support/toolchains.ts";
import { askProgram } from "../ask-program.ts";
import type { ClientTrial } from "../trial.ts";
import { payOn, type TerminalProgram } from "./life.ts";
import { stompjsTerminal } from "./stompjs-terminal.ts";

const TRIED =
  "two commands that were sent over REST: SUBSCRIBE, ACK, result with its RECEIPT; a wrong passcode, an unreadable result (ERROR), DISCONNECT, connecting again";

/** Twice the ten seconds of a heart-beat, and more: without them the relay would have ended the session. */
const IDLE_MS = 21_500;

/** A terminal that is a program of its own, installed by `prepare`. */
function programTerminal(install: () => Promise<Installed<Program>>): { prepare: ClientTrial["prepare"]; terminal: TerminalProgram } {
  let program: Program | null = null;
  return {
    prepare: async () => {
      const installed = await install();
      if (installed.type === "missing") return installed.reason;
      program = installed.value;
      return null;
    },
    terminal: ({ url, login, passcode, pauseSeconds }) => {
      assert.ok(program, "it was not prepared");
      const { command, args } = program;
      return askProgram({ command, args: [...args, url, login, passcode, String(pauseSeconds)] }, {});
    },
  };
}

const JAVA = "trials/stomp/java";
const stompPy = programTerminal(() => pythonProgram({ name: "stomp.py", folder: "trials/stomp/python" }));
const spring = programTerminal(() => javaProgram({ name: "spring-stomp", folder: JAVA, main: "Spring" }));
const krossbow = programTerminal(() => javaProgram({ name: "krossbow", folder: JAVA, main: "Krossbow" }));

export const STOMP_TRIALS: readonly ClientTrial[] = [
  {
    group: "STOMP",
    client: "@stomp/stompjs (npm)",
    version: "7.5.0",
    tried: TRIED,
    result: "works. Its `deactivate()` waits for the RECEIPT of DISCONNECT",
    quick: true,
    prepare: async () => null,
    run: () => payOn(stompjsTerminal, { idleMs: 0 }),
  },
  {
    group: "STOMP",
    client: "stomp.py (PyPI)",
    version: "9.0.0",
    tried: `${TRIED}; heart-beats alone for 21 seconds`,
    result: "works, with `WSConnection` and the package websocket-client. ACK takes the header `ack` of the message",
    prepare: stompPy.prepare,
    run: () => payOn(stompPy.terminal, { idleMs: IDLE_MS }),
  },
  {
    group: "STOMP",
    client: "Spring's WebSocketStompClient (spring-websocket and spring-messaging, Maven Central), over Tyrus 2.2.0",
    version: "7.0.10",
    tried: `${TRIED}; heart-beats alone for 21 seconds`,
    result: 'works, with a converter that takes text/plain and application/json: PROTOCOL.md, "With Spring"',
    prepare: spring.prepare,
    run: () => payOn(spring.terminal, { idleMs: IDLE_MS }),
  },
  {
    group: "STOMP",
    client: "Krossbow (org.hildan.krossbow, Maven Central), over the JDK's WebSocket",
    version: "8.2.0",
    tried: `${TRIED}; 20 sessions begun and ended in turn; heart-beats alone for 21 seconds`,
    result: "works. Its flow of messages unsubscribes when nobody collects it any more",
    prepare: krossbow.prepare,
    run: () => payOn(krossbow.terminal, { idleMs: IDLE_MS }),
  },
];

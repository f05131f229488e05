import assert from "node:assert/strict";
import { hasProgram } from "../../../../infra/local/run-command.ts";
import { listOf, member, textMember } from "../../../support/http/matches.ts";
import type { Program } from "../../support/program.ts";
import { goProgram, type Installed, javaProgram, pythonProgram } from "../../support/toolchains.ts";
import { askProgram } from "../ask-program.ts";
import type { ClientTrial } from "../trial.ts";
import { sendWithCurl } from "./curl.ts";
import type { Sender } from "./http-call.ts";
import { httpLife, refusalsOfExpectation } from "./http-life.ts";
import { sendWithFetch, sendWithNodeHttp, sendWithUndici } from "./node-clients.ts";

const TRIED = "pays by API key and by Basic and reads the result; 400, 401, 413, and 429 with `Retry-After`, each in JSON";
const EXPECT =
  "`Expect: 100-continue` before a payment, before a body of more than 1 MiB (413), and where a path or its method is refused (404, 405)";

/** A client that is a program of its own, installed by `prepare`. */
function programSender(
  install: () => Promise<Installed<Program>>,
  args: readonly string[] = [],
): { prepare: ClientTrial["prepare"]; send: Sender } {
  let program: Program | null = null;
  return {
    prepare: async () => {
      const installed = await install();
      if (installed.type === "missing") return installed.reason;
      program = installed.value;
      return null;
    },
    send: async (calls) => {
      assert.ok(program, "it was not prepared");
      const answers = await askProgram({ command: program.command, args: [...program.args, ...args] }, calls);
      return listOf(answers).map((answer) => ({
        status: Number(member(answer, "status")),
        headers: Object.fromEntries(Object.entries(Object(member(answer, "headers"))).map(([name, value]) => [name, String(value)])),
        text: textMember(answer, "text"),
      }));
    },
  };
}

const java = () => javaProgram({ name: "java-http", folder: "trials/http/java", libraries: "java" });
const JAVA_SECONDS = "20";
/** On a quiet machine an answer that comes is there within a second. */
const JAVA_SILENCE_SECONDS = "10";
const java11 = programSender(java, ["HTTP_1_1", JAVA_SECONDS]);
const java11Silent = programSender(java, ["HTTP_1_1", JAVA_SILENCE_SECONDS]);
const java2 = programSender(java, ["HTTP_2", JAVA_SECONDS]);
const requests = programSender(() => pythonProgram({ name: "requests", folder: "trials/http/python" }));
const go = programSender(() => goProgram({ name: "go-http", folder: "trials/http/go" }));
/** The same where the client takes every answer. */
async function lifeWithExpect(send: Sender): Promise<void> {
  await httpLife(send, { expect: true });
  assert.deepEqual(await refusalsOfExpectation(send), []);
}

const CURL_MISSING = "curl is not installed";

export const HTTP_TRIALS: readonly ClientTrial[] = [
  {
    group: "HTTP",
    client: "java.net.http.HttpClient",
    version: "JDK 17+",
    tried: `${TRIED}; as it is by default: the first request of a connection asks for HTTP/2 (\`Upgrade: h2c\`)`,
    result: "works, by HTTP/1.1: the relay has no HTTP/2 and ignores the upgrade",
    prepare: java2.prepare,
    run: () => httpLife(java2.send, { expect: false }),
  },
  {
    group: "HTTP",
    client: "java.net.http.HttpClient",
    version: "JDK 17+",
    tried: `${TRIED}; \`expectContinue(true)\`: ${EXPECT}`,
    result:
      "works. JDK 17 up to 17.0.16 (JDK-8286171) waits for ever, whatever its timeout is, where another answer comes in the place of `100 Continue`, from any server: here 404 and 405",
    prepare: async () => (await java11.prepare()) ?? java11Silent.prepare(),
    run: async () => {
      await httpLife(java11.send, { expect: true });
      for (const version of await refusalsOfExpectation(java11Silent.send)) assert.match(version, /^17\.0\.(\d|1[0-6])\b/);
    },
  },
  {
    group: "HTTP",
    client: "requests (PyPI), with a session",
    version: "2.34.2",
    tried: `${TRIED}; a header \`Expect: 100-continue\``,
    result: "works. It knows nothing of `Expect`: it sends the body at once and skips `100 Continue`",
    prepare: requests.prepare,
    run: () => lifeWithExpect(requests.send),
  },
  {
    group: "HTTP",
    client: "net/http, of Go",
    version: "1.22+",
    tried: `${TRIED}; with \`ExpectContinueTimeout\`: ${EXPECT}`,
    result: "works",
    prepare: go.prepare,
    run: () => lifeWithExpect(go.send),
  },
  {
    group: "HTTP",
    client: "curl",
    version: "7.88+",
    tried: `${TRIED}; ${EXPECT}`,
    result: "works",
    prepare: async () => ((await hasProgram("curl", ["--version"])) ? null : CURL_MISSING),
    run: () => lifeWithExpect(sendWithCurl),
  },
  {
    group: "HTTP",
    client: "fetch, of Node",
    version: "20+",
    tried: TRIED,
    result: "works. It has no `Expect`",
    quick: true,
    prepare: async () => null,
    run: () => httpLife(sendWithFetch, { expect: false }),
  },
  {
    group: "HTTP",
    client: "undici (npm)",
    version: "7.30.2",
    tried: TRIED,
    result: "works. It refuses to send `Expect`",
    quick: true,
    prepare: async () => null,
    run: async () => {
      await httpLife(sendWithUndici, { expect: false });
      const call = { method: "GET", url: "http://127.0.0.1:1/", headers: {}, body: "", expect: true, times: 1 } as const;
      await assert.rejects(sendWithUndici([call]), /expect header not supported/);
    },
  },
  {
    group: "HTTP",
    client: "node:http, of Node",
    version: "20+",
    tried: `${TRIED}; ${EXPECT}`,
    result:
      "works. A body that is more than 16 MiB too long is refused while it is still being sent: have a listener for `error` also after the answer",
    quick: true,
    prepare: async () => null,
    run: () => lifeWithExpect(sendWithNodeHttp),
  },
];

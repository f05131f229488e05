import { once } from "node:events";
import { Agent, type IncomingMessage, request as nodeRequest } from "node:http";
import { request as undiciRequest } from "undici";
import type { HttpAnswer, HttpCall, Sender } from "./http-call.ts";

const RATE_LIMITED = 429;

/** A sender of what sends one call. */
function oneByOne(send: (call: HttpCall) => Promise<HttpAnswer>): Sender {
  return async (calls) => {
    const answers: HttpAnswer[] = [];
    for (const call of calls) {
      let answer = await send(call);
      for (let sent = 1; sent < call.times && answer.status !== RATE_LIMITED; sent += 1) answer = await send(call);
      answers.push(answer);
    }
    return answers;
  };
}

/** `fetch`, which Node has from undici. It has no `Expect`. */
export const sendWithFetch = oneByOne(async ({ method, url, headers, body }) => {
  const response = await fetch(url, { method, headers, ...(body === "" ? {} : { body }) });
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
});

export const sendWithUndici = oneByOne(async ({ method, url, headers, body, expect }) => {
  const all = expect ? { ...headers, expect: "100-continue" } : headers;
  const response = await undiciRequest(url, { method, headers: all, ...(body === "" ? {} : { body }) });
  return { status: response.statusCode, headers: textsOf(response.headers), text: await response.body.text() };
});

/** `node:http`, with an agent that keeps connections. */
export const sendWithNodeHttp: Sender = async (calls) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    return await oneByOne(async ({ method, url, headers, body, expect }) => {
      const length = body === "" ? {} : { "content-length": Buffer.byteLength(body) };
      const out = nodeRequest(url, { method, agent, headers: { ...headers, ...length, ...(expect ? { expect: "100-continue" } : {}) } });
      const answered = once(out, "response");
      // A refusal comes while the body is still being sent: what becomes of the rest is no matter then.
      out.on("error", () => undefined);
      if (expect) {
        out.flushHeaders();
        // A refusal comes in the place of 100 Continue: then the body is never sent.
        await Promise.race([once(out, "continue").then(() => out.end(body)), answered]);
      } else {
        out.end(body);
      }
      const [response]: [IncomingMessage] = await answered.then(([message]) => [message]);
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      if (!out.writableEnded) out.destroy();
      return { status: response.statusCode ?? 0, headers: textsOf(response.headers), text };
    })(calls);
  } finally {
    agent.destroy();
  }
};

function textsOf(headers: { [name: string]: string | string[] | undefined }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

import { type Agent, request } from "node:http";

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

export interface Sent {
  port: number;
  agent: Agent;
  path: string;
  method?: string;
  headers: { [name: string]: string };
  body?: string;
}

/** Sends one request; a connection that fails counts as status 0. */
export function send({ port, agent, path, method = "GET", headers, body = "" }: Sent): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)), "content-type": "application/json" };
    const sent = request({ host: "127.0.0.1", port, agent, path, method, headers: { ...headers, ...length } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", () => resolve({ status: 0, text: "" }));
    });
    sent.on("error", () => resolve({ status: 0, text: "" }));
    sent.end(body);
  });
}

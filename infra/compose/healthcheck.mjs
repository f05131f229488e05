/**
 * Ends with 0 where the node of this container answers 200 at a path (`/health/live`, where none is given), over HTTP or over its own TLS. The port is that of
 * RELAY_PORT.
 */
import { get as getHttp } from "node:http";
import { get as getHttps } from "node:https";

const TIMEOUT_MS = 2_000;

const path = process.argv[2] ?? "/health/live";
const port = Number(process.env["RELAY_PORT"] || "8080");
const given = process.env["RELAY_HOST"] || "0.0.0.0";
const host = given === "0.0.0.0" || given === "::" ? "127.0.0.1" : given;

function answers(get) {
  return new Promise((resolve) => {
    // Its certificate names the outside, not this container.
    const request = get({ host, port, path, timeout: TIMEOUT_MS, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}

process.exit((await answers(getHttp)) || (await answers(getHttps)) ? 0 : 1);

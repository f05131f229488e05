import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import type { CallbackTarget } from "../../engine/callbacks/callback-sender.ts";
import type { PostOutcome, PostTarget } from "../../engine/webhooks/post-target.ts";
import { createCallableAddresses } from "./callable-addresses.ts";
import { createNameResolver, lookupWith, type ResolveName } from "./resolve-name.ts";

/** An address has this long to answer, name and connection included. */
const DEADLINE_MS = 10_000;

/** The body of an answer is waited for no longer than this: its status is what counts. */
const ANSWER_BODY_MS = 1_000;

export interface PostTargetOptions {
  /** CIDRs of local networks that may be called. */
  allowedNetworks: readonly string[];
  /** For tests: the addresses of a name. */
  resolve?: ResolveName;
  deadlineMs?: number;
}

class AddressRefused extends Error {}

/**
 * Posts to addresses that clients chose. A client must not reach the relay's own network this way: a non-public address is refused unless
 * it is allowed. The address is checked when the connection is made (so that a name cannot resolve to another address afterwards), and
 * redirects are not followed.
 */
export function createPostTarget({
  allowedNetworks,
  resolve = createNameResolver(),
  deadlineMs = DEADLINE_MS,
}: PostTargetOptions): PostTarget {
  const { mayCall } = createCallableAddresses(allowedNetworks);
  // Connects to the address that was checked.
  const lookup = lookupWith(resolve, (addresses) => {
    const fit = addresses.filter(({ address }) => mayCall(address));
    if (fit.length === 0) throw new AddressRefused("the address belongs to a local network");
    return fit;
  });

  return {
    post: (url, body, headers, answerBytesMax) => {
      const begunAt = performance.now();
      const tookMs = () => Math.round(performance.now() - begunAt);
      const refused = (reason: string): Promise<PostOutcome> => Promise.resolve({ type: "failed", reason, durationMs: tookMs() });
      if (!URL.canParse(url)) return refused("the address is not a URL");
      const target = new URL(url);
      if (target.protocol !== "https:" && target.protocol !== "http:") return refused("the address is neither https nor http");
      const secure = target.protocol === "https:";
      const host = target.hostname.replace(/^\[|\]$/g, "");
      // An address that is written out is not looked up.
      if (isIP(host) !== 0 && !mayCall(host)) return refused("the address belongs to a local network");
      return new Promise((done) => {
        const request = (secure ? httpsRequest : httpRequest)(target, {
          method: "POST",
          // A connection each: one that was checked long ago proves nothing now.
          agent: false,
          lookup,
          headers: {
            "content-type": "application/json",
            "content-length": String(Buffer.byteLength(body)),
            "user-agent": "terminal-relay",
            connection: "close",
            ...headers,
          },
        });
        const end = (outcome: PostOutcome): void => {
          clearTimeout(timer);
          request.destroy();
          done(outcome);
        };
        const fail = (reason: string) => end({ type: "failed", reason, durationMs: tookMs() });
        let timer = setTimeout(() => fail(`no answer within ${deadlineMs} ms`), deadlineMs);
        // A connection that breaks while the answer's body comes is an error of the request, too.
        let onError = (error: Error) => fail(reasonOf(error));
        request.on("error", (error) => onError(error));
        request.on("response", (response) => {
          clearTimeout(timer);
          const { statusCode: status = 0 } = response;
          const chunks: Buffer[] = [];
          let bytes = 0;
          const durationMs = tookMs();
          // Whatever comes of the body, the status stands.
          const answered = () => end({ type: "answered", status, answer: textOf(chunks, answerBytesMax), durationMs });
          onError = answered;
          if (answerBytesMax === 0) return answered();
          timer = setTimeout(answered, ANSWER_BODY_MS);
          response.on("data", (chunk: Buffer) => {
            chunks.push(chunk);
            bytes += chunk.length;
            if (bytes >= answerBytesMax) answered();
          });
          for (const ending of ["end", "error", "close"]) response.on(ending, answered);
        });
        request.end(body);
      });
    },
  };
}

/** The adapter's callbacks: an address has taken one that it answers with 2xx. */
export function createCallbackTarget(options: PostTargetOptions): CallbackTarget {
  const target = createPostTarget(options);
  return {
    post: async (url, body) => {
      const outcome = await target.post(url, body, {}, 0);
      if (outcome.type === "failed") return { type: "failed", reason: outcome.reason };
      const { status } = outcome;
      if (status >= 200 && status < 300) return { type: "delivered", httpStatus: status };
      return { type: "failed", reason: `answered ${status}`, httpStatus: status };
    },
  };
}

/** As UTF-8; half a character at the end is left out. */
function textOf(chunks: readonly Buffer[], bytesMax: number): string {
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, bytesMax), { stream: true });
}

function reasonOf(error: Error): string {
  if (error instanceof AddressRefused) return error.message;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

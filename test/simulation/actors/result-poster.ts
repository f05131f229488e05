import type { Caller } from "../../../engine/access/caller.ts";
import type { DeviceSpec } from "../plan.ts";
import type { Posting } from "../witness.ts";
import type { SimHttp } from "../world/sim-http.ts";
import type { SimShard } from "../world/sim-shard.ts";
import type { World } from "../world/world.ts";
import type { StompClient } from "./stomp-client.ts";

/** A result, of which a device posts the same each time. */
export interface PostedResult {
  terminalId: string;
  commandUuid: string;
  /** As it is written in the posting. */
  uuid: string;
  status: "OK" | "KO";
  /** Null where it has none. */
  amount: number | null;
  code: string;
}

/** Codes after which the same posting makes sense once more (http/stomp/PROTOCOL.md). */
const AGAIN = new Set(["unavailable", "too_busy", "internal", "request_timeout"]);
const AGAIN_MS = 1_200;
const TRIES_MAX = 60;

/** Posts results until the relay has acknowledged them, over the session or by HTTP. */
export class ResultPoster {
  readonly #world: World;
  readonly #http: SimHttp;
  readonly #spec: DeviceSpec;
  readonly #client: () => StompClient | null;
  readonly #caller: (shard: SimShard) => Caller;
  /** By receipt, what was posted over the connection that there is now. */
  #awaited = new Map<string, { result: PostedResult; posting: Posting; tries: number }>();
  #unposted: { result: PostedResult; tries: number }[] = [];
  #receipts = 0;

  constructor(world: World, http: SimHttp, spec: DeviceSpec, client: () => StompClient | null, caller: (shard: SimShard) => Caller) {
    this.#world = world;
    this.#http = http;
    this.#spec = spec;
    this.#client = client;
    this.#caller = caller;
  }

  post(result: PostedResult, via: "session" | "http"): void {
    if (via === "session" && this.#spec.topics.length > 0) this.#overSession(result, 1);
    else void this.#overHttp(result);
  }

  connected(): void {
    const unposted = this.#unposted;
    this.#unposted = [];
    for (const { result, tries } of unposted) this.#overSession(result, tries);
  }

  /** What was not acknowledged is posted again over the next connection. */
  disconnected(): void {
    for (const { result, tries } of this.#awaited.values()) this.#unposted.push({ result, tries: tries + 1 });
    this.#awaited = new Map();
  }

  receipt(id: string): void {
    const awaited = this.#awaited.get(id);
    if (awaited === undefined) return;
    this.#awaited.delete(id);
    this.#acknowledged(awaited.posting, "RECEIPT");
  }

  error(id: string, code: string): void {
    if (!AGAIN.has(code)) this.#awaited.delete(id);
  }

  #overSession(result: PostedResult, tries: number): void {
    if (tries > TRIES_MAX) return;
    const client = this.#client();
    if (client === null) {
      this.#unposted.push({ result, tries });
      return;
    }
    this.#receipts += 1;
    const receipt = `r${this.#receipts}`;
    this.#awaited.set(receipt, { result, posting: this.#posting(result), tries });
    const destination = `/app/terminal/${result.terminalId}/receipt`;
    client.send(
      "SEND",
      [
        ["destination", destination],
        ["receipt", receipt],
        ["content-type", "application/json"],
      ],
      JSON.stringify(bodyOf(result)),
    );
  }

  async #overHttp(result: PostedResult): Promise<void> {
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      const posting = this.#posting(result);
      const answer = await this.#http.request(`receipt of ${result.uuid}`, (shard) =>
        shard.recordResult.byCaller(this.#caller(shard), result.terminalId, bodyOf(result)),
      );
      if (answer.type === "answered") {
        this.#acknowledged(posting, answer.value.type);
        return;
      }
      // A whitelist rule lets its terminal post over its session only.
      if (answer.type === "failed" && answer.code === "forbidden" && this.#spec.topics.length > 0) this.#overSession(result, 1);
      if (answer.type === "failed" && !AGAIN.has(answer.code)) return;
      await this.#world.sleep(AGAIN_MS);
    }
  }

  #posting(result: PostedResult): Posting {
    const posting: Posting = {
      uuid: result.uuid,
      commandUuid: result.commandUuid,
      terminalId: result.terminalId,
      device: this.#spec.name,
      content: contentOf(result.status, result.amount, result.code),
      postedAtMs: this.#world.scheduler.nowMs,
      acknowledgedAtMs: null,
    };
    this.#world.witness.postings.push(posting);
    this.#world.count("result posted");
    this.#world.trace.note(this.#spec.name, `posts ${posting.content} for ${posting.uuid}`);
    return posting;
  }

  #acknowledged(posting: Posting, how: string): void {
    posting.acknowledgedAtMs = this.#world.scheduler.nowMs;
    this.#world.count("result acknowledged");
    this.#world.trace.note(this.#spec.name, `is told ${how} for ${posting.uuid}`);
  }
}

function bodyOf({ uuid, status, amount, code }: PostedResult): object {
  return { uuid, result: status, authCode: code, ...(amount === null ? {} : { amount }) };
}

/** A result as one word, by which it is told from others. */
export function contentOf(status: string, amount: number | null, code: string): string {
  return `${status}/${amount ?? 0}/${code}`;
}

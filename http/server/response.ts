import { RelayError } from "../../engine/kernel/errors.ts";
import { CallLimitReached } from "../../engine/partners/merchant-calls.ts";
import type { AnyReply, OutgoingFile } from "../endpoint/endpoint.ts";
import { type Answer, areHeadersSafe, writeAnswer, writeEnd, writeHead } from "./answer.ts";
import { errorAnswer, toRelayError } from "./error-answer.ts";
import type { FileSender } from "./file-sender.ts";
import type { Waiting } from "./pending.ts";
import type { ServedRoute } from "./route.ts";
import type { ServerContext } from "./server-context.ts";
import type { HttpResponse } from "./uws.ts";

/**
 * The answering half of an exchange: one answer or one file, while the client is there and the deadline has not passed. The response of uWebSockets
 * is touched only while `open`, or by the sender of a file.
 */
export abstract class Response implements Waiting {
  deadlineAtMs = 0;
  place = -1;
  readonly id: string;
  protected readonly context: ServerContext;
  protected readonly res: HttpResponse;
  protected readonly route: ServedRoute;
  protected readonly startedMs: number;
  protected readonly withoutBody: boolean;
  protected open = true;
  /** True while uWebSockets calls us and has corked the socket. */
  protected corked = true;
  protected closeAfter = false;
  /** Requests that the client's window has room for; -1 where nothing is limited. */
  protected remaining = -1;
  /** Names and values, alternating. */
  protected fixedHeaders: readonly string[];
  #attached = false;
  #sender: FileSender | null = null;

  constructor(context: ServerContext, res: HttpResponse, route: ServedRoute, facts: { id: string; withoutBody: boolean }) {
    this.context = context;
    this.res = res;
    this.route = route;
    this.withoutBody = facts.withoutBody;
    this.fixedHeaders = route.fixedHeaders;
    this.startedMs = context.monotonicMs();
    this.id = facts.id;
  }

  abstract expire(): void;

  /** The client has gone: nothing more of its request comes. */
  protected abstract aborted(): void;

  /** Answers with the surface's error envelope; an unknown error is a plain 500 whose cause goes to the log. */
  fail(error: unknown): void {
    if (!this.open) return;
    const { endpoint } = this.route;
    const relayError = toRelayError(error);
    if (relayError.code === "internal" || relayError.cause !== undefined) {
      this.context.observe.failed?.(error, { id: this.id, endpoint: endpoint.name });
    }
    // It says nothing of the address's window.
    if (relayError.code === "terminal_queue_full" || relayError instanceof CallLimitReached) this.remaining = -1;
    this.#send(errorAnswer(relayError, endpoint.surface.envelope, endpoint.auth, this.id));
  }

  protected guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.fail(error);
    }
  }

  /** From here on the response may die under us, and the deadline runs. */
  protected attach(): void {
    if (this.#attached) return;
    this.#attached = true;
    this.deadlineAtMs = this.startedMs + this.context.limits.bodyDeadlineMs;
    this.context.pending.add(this);
    this.res.onAborted(() => {
      this.#sender?.aborted();
      this.aborted();
      if (!this.open) return;
      this.open = false;
      this.context.pending.delete(this);
      this.context.observe.aborted?.(this.route.endpoint.name);
    });
  }

  protected answer(reply: AnyReply): void {
    if (!this.open) {
      reply.file?.close(false);
      reply.notWritten?.();
      return;
    }
    if (reply.file !== undefined) {
      this.#sendFile(reply, reply.file);
      return;
    }
    let text: string;
    try {
      text = this.route.compiled.serialize(reply);
      if (reply.headers !== undefined && !areHeadersSafe(reply.headers)) throw new Error("a reply header holds a line break");
    } catch (error) {
      reply.notWritten?.();
      this.fail(error);
      return;
    }
    const contentType = this.route.compiled.contentTypes.get(reply.status);
    this.#send({ status: reply.status, contentType, text, headers: reply.headers });
  }

  #send(answer: Answer): void {
    this.#close();
    if (this.corked) writeAnswer(this.res, answer, this.#context());
    else this.res.cork(() => writeAnswer(this.res, answer, this.#context()));
    this.#answered(answer.status);
  }

  /** From here on the file's sender has the response; the head leaves now, the body as the client takes it. */
  #sendFile(reply: AnyReply, file: OutgoingFile): void {
    const { files } = this.context;
    if (files.isFull || (reply.headers !== undefined && !areHeadersSafe(reply.headers))) {
      file.close(false);
      const full = new RelayError("too_busy", "Too many files are being sent; try again shortly.", { retryAfterSeconds: 10 });
      this.fail(files.isFull ? full : new Error("a reply header holds a line break"));
      return;
    }
    this.attach();
    this.#close();
    const { status, headers } = reply;
    const head = { status, headers, contentType: file.contentType ?? this.route.compiled.contentTypes.get(status) };
    const write = () => {
      writeHead(this.res, head, this.#context());
      if (this.withoutBody) writeEnd(this.res, this.#context(), file.length);
    };
    if (this.corked) write();
    else this.res.cork(write);
    if (this.withoutBody) {
      file.close(false);
      this.#answered(status);
      return;
    }
    this.#sender = files.send(this.res, file, (outcome) => {
      if (outcome === "complete") this.#answered(status);
      else this.context.observe.aborted?.(this.route.endpoint.name);
      if (typeof outcome === "object") {
        this.context.observe.failed?.(outcome.failed, { id: this.id, endpoint: this.route.endpoint.name });
      }
    });
  }

  #close(): void {
    this.open = false;
    if (this.#attached) this.context.pending.delete(this);
  }

  #context() {
    return {
      firstLines: this.context.firstLines,
      requestId: this.id,
      fixedHeaders: this.fixedHeaders,
      rateLimitBlock: this.remaining === -1 ? "" : (this.route.rateLimitBlocks[this.remaining] ?? ""),
      withoutBody: this.withoutBody,
      close: this.closeAfter || this.context.draining,
    };
  }

  #answered(status: number): void {
    this.context.observe.answered?.(this.route.endpoint.name, status, this.context.monotonicMs() - this.startedMs);
  }
}

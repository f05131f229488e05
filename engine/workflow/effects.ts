import type { CommitPart } from "../kernel/commit-part.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import { attentionKey, attentionOperation } from "../payments/attention.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import type { EffectHandler, RequestContext, Step, TimedEvent, WorkflowDefinition, WorkflowRecord } from "./workflow.ts";

export interface EffectOptions<R, F> {
  readonly digest: Digest;
  /** Returns the object that an event shows. It has no personal data. */
  objectOf(record: R): object;
  /** Returns the entries of a mail, or null while mails have no room. */
  mailOf?(record: R, effect: F, before: R | null): Promise<CommitPart["operations"] | null>;
}

export type Stepped<R, F> = Pick<Step<R, F>, "record" | "effects">;

export interface Mailed<R> {
  readonly record: R;
  readonly operations: CommitPart["operations"];
}

export function createEffects<R extends WorkflowRecord, E extends TimedEvent, F extends { readonly type: string }, Outcome>(
  definition: WorkflowDefinition<R, E, F, Outcome>,
  { digest, objectOf, mailOf }: EffectOptions<R, F>,
) {
  const handlers: { readonly [type: string]: EffectHandler<R, F> } = definition.effects;

  function handlerOf({ type }: F): EffectHandler<R, F> {
    const handler = handlers[type];
    if (handler === undefined) throw new Error(`${definition.label} has no handler for the effect ${type}`);
    return handler;
  }

  async function mailed({ record, effects }: Stepped<R, F>, before: R | null, atMs: number): Promise<Mailed<R>> {
    for (const effect of effects.toReversed()) {
      const handler = handlerOf(effect);
      if (handler.kind !== "mail") continue;
      const operations = (await mailOf?.(record, effect, before)) ?? null;
      if (operations === null) return { record: { ...record, ...handler.postponed?.(record, effect, atMs) }, operations: [] };
      return { record: operations.length === 0 ? record : { ...record, ...handler.sent?.(record) }, operations };
    }
    return { record, operations: [] };
  }

  function events(record: R, effects: readonly F[], before: number, cause: TimedEvent, request: RequestContext | null): WebhookEvent[] {
    return eventsOf(effects).map((eventOf, index) => eventOf({ record, sequence: before + index + 1, cause, request, digest, objectOf }));
  }

  function hasMail({ effects }: Stepped<R, F>): boolean {
    return effects.some((effect) => handlerOf(effect).kind === "mail");
  }

  function eventsOf(effects: readonly F[]) {
    return effects.flatMap((effect) => {
      const handler = handlerOf(effect);
      return handler.kind === "webhook" ? handler.eventsOf(effect) : [];
    });
  }

  function attention(record: R, effects: readonly F[], before: R | null, event: TimedEvent): CommitPart["operations"] {
    const terminalId = definition.terminalOf(record);
    const { atMs } = event;
    return effects.flatMap((effect) => {
      const handler = handlerOf(effect);
      if (handler.kind === "attention") {
        const uuid = handler.placeOf?.(event) ?? record.id;
        return [attentionOperation({ kind: handler.item, terminalId, uuid, atMs, detail: handler.detailOf(record), raw: null })];
      }
      const isResolved = handler.kind === "resolve" && before !== null && handler.exists(before);
      return isResolved ? [{ type: "delete", key: attentionKey(handler.item, terminalId, record.id) } as const] : [];
    });
  }

  return { mailed, hasMail, events, attention, eventCount: (effects: readonly F[]) => eventsOf(effects).length };
}

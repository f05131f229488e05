import type { WebhookDeliveryDetailJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { get, post } from "../../api/client.ts";
import { hasCode } from "../../api/errors.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy.tsx";
import { ObjectDrawer } from "../../components/object-drawer.tsx";
import { Time } from "../../components/time.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { formatExactTime } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { toast } from "../../state/toasts.ts";
import { DeliveryOutcome } from "./delivery-outcome.ts";

/** Shows one delivery: the posted body, and the response to each attempt. */
export function DeliveryDrawer({ id, onClose, onChanged }: { id: string; onClose: () => void; onChanged: () => void }) {
  const { webhooks: words } = text();
  const path = `/webhooks/deliveries/${encodeURIComponent(id)}`;
  return (
    <ObjectDrawer<WebhookDeliveryDetailJson>
      title={words.delivery}
      path={path}
      unknown={{ title: words.unknownTitle, text: words.unknownText }}
      onClose={onClose}
      onChanged={onChanged}
    >
      {(delivery, { reload }) => <Detail delivery={delivery} path={path} onResent={reload} />}
    </ObjectDrawer>
  );
}

function Detail({ delivery, path, onResent }: { delivery: WebhookDeliveryDetailJson; path: string; onResent: () => void }) {
  const { webhooks: words } = text();
  const { eventType, eventId, objectId, url, outcome, createdAt, nextAttemptAt, body } = delivery;
  const resend = useAction(async () => {
    try {
      await post(`${path}/resend`);
      toast(words.resent);
    } catch (error) {
      if (!hasCode(error, "conflict") || !(await isJustDelivered(path, delivery))) throw error;
      toast(words.justDelivered);
    }
    onResent();
  });
  return (
    <>
      <dl class="facts">
        <dt>{words.eventType}</dt>
        <dd class="mono break">{eventType}</dd>
        <dt>{words.outcome}</dt>
        <dd>
          <DeliveryOutcome state={outcome} />
        </dd>
        <dt>{words.happened}</dt>
        <dd>{formatExactTime(createdAt)}</dd>
        {nextAttemptAt !== null && (
          <>
            <dt>{words.nextAttempt}</dt>
            <dd>
              <Time at={nextAttemptAt} as="exact" />
            </dd>
          </>
        )}
        <dt>{words.endpoint}</dt>
        <dd class="break">{url ?? words.endpointGone}</dd>
        <dt>{words.object}</dt>
        <dd class="mono break">{objectId}</dd>
        <dt>{words.eventId}</dt>
        <dd class="mono break">{eventId}</dd>
      </dl>
      {resend.error !== null && (
        <Banner kind="danger" alert>
          {errorText(resend.error)}
        </Banner>
      )}
      {url !== null && (
        <div class="button-row">
          <Button icon="refresh" busy={resend.busy} onClick={() => void resend.run()}>
            {words.resend}
          </Button>
        </div>
      )}
      <Tries delivery={delivery} />
      <section class="form section" aria-label={words.body}>
        <h3>{words.body}</h3>
        {body === null ? (
          <p class="lead">{words.noBody}</p>
        ) : (
          <>
            <pre class="code-block">{indented(body)}</pre>
            <div class="button-row">
              <CopyButton value={body} label={words.copyBody} small />
            </div>
          </>
        )}
      </section>
    </>
  );
}

/** Returns true if the relay has delivered the event since the drawer loaded it. */
async function isJustDelivered(path: string, { tries }: WebhookDeliveryDetailJson): Promise<boolean> {
  const now = await get<WebhookDeliveryDetailJson>(path);
  return now.outcome === "DELIVERED" && now.tries.at(-1)?.at !== tries.at(-1)?.at;
}

function Tries({ delivery: { tries } }: { delivery: WebhookDeliveryDetailJson }) {
  const { webhooks: words } = text();
  return (
    <section class="form section" aria-label={words.tries}>
      <h3>{words.tries}</h3>
      {tries.length === 0 && <p class="lead">{words.notTried}</p>}
      <ol class="tries">
        {[...tries].reverse().map(({ at, ms, status, answer, problem }) => (
          <li key={at} class="try">
            <div class="try-head">
              <strong>{status === null ? words.noAnswer : words.answered(status)}</strong>
              <span>
                <Time at={at} as="exact" />
                {ms !== null && ` · ${words.milliseconds(ms)}`}
              </span>
            </div>
            {problem !== null && <p class="break">{problem}</p>}
            {answer !== null && answer !== "" && <pre class="code-block">{answer}</pre>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Adds line breaks to a JSON body. Any other body is shown unchanged. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

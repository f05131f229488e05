import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { PaymentMethodJson } from "../../../../surfaces/merchant/methods/schemas.ts";
import { Drawer } from "../../components/dialog.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import { may } from "../../state/session.ts";
import { MethodBadges } from "./method-badges.tsx";
import { MethodForm } from "./method-form.tsx";
import { memberLabel } from "./written.ts";

/** Shows the configuration of one method, as a form if the person's role permits a change. */
export function MethodDrawer({
  method,
  onClose,
  onChanged,
}: {
  method: PaymentMethodJson;
  onClose: () => void;
  onChanged: (changed: PaymentMethodJson) => void;
}) {
  const { paymentMethods: words } = text();
  const { service, updatedAt, values } = method;
  const [unsaved, setUnsaved] = useState(false);
  // A new round mounts the form again with the configuration that is stored then.
  const [round, setRound] = useState(0);
  return (
    <Drawer title={words.services[service].name} onClose={onClose} unsaved={unsaved ? text().app.leaveText : null}>
      <MethodBadges method={method} />
      {may("configure") ? (
        <MethodForm
          key={round}
          method={method}
          onUnsaved={setUnsaved}
          onSaved={(changed) => {
            setUnsaved(false);
            onChanged(changed);
            onClose();
          }}
          onStored={(stored) => {
            setUnsaved(false);
            onChanged(stored);
            setRound(round + 1);
          }}
        />
      ) : (
        <dl class="facts">
          {Object.entries(values).map(([name, value]) => (
            <Fragment key={name}>
              <dt>{memberLabel(name)}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </Fragment>
          ))}
          <dt>{words.changed}</dt>
          <dd>{updatedAt === null ? text().app.never : <Time at={updatedAt} />}</dd>
        </dl>
      )}
    </Drawer>
  );
}

import { useState } from "preact/hooks";
import type { FactorEnrolledJson } from "../../api/types.ts";
import { PasskeyEnrolment } from "../../components/passkey-enrolment.tsx";
import { RecoveryCodeList } from "../../components/recovery-codes.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { TotpEnrolment } from "../../components/totp-enrolment.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { session, signOut, takeSession } from "../../state/session.ts";
import { Entrance } from "./entrance.tsx";

/**
 * The first second factor of an account. The session goes on only after the recovery codes were saved: they are shown this once.
 */
export function EnrolPage() {
  const { enrol, recovery, secondFactor } = text();
  const [way, setWay] = useState<"totp" | "passkey">("totp");
  const [enrolled, setEnrolled] = useState<FactorEnrolledJson | null>(null);
  const goOn = useAction(async (done: FactorEnrolledJson) => takeSession(done.session));
  if (enrolled?.recoveryCodes != null) {
    return (
      <Entrance key="recovery" title={recovery.title} wide>
        <RecoveryCodeList codes={enrolled.recoveryCodes} busy={goOn.busy} onSaved={() => void goOn.run(enrolled)} />
      </Entrance>
    );
  }
  const done = (answer: FactorEnrolledJson): void => {
    if (answer.recoveryCodes === null) void goOn.run(answer);
    else setEnrolled(answer);
  };
  const totp = <TotpEnrolment onDone={done} />;
  return (
    <Entrance
      title={enrol.title}
      lead={enrol.lead}
      wide
      foot={
        <button type="button" class="text-button" onClick={() => void signOut()}>
          {secondFactor.other}
        </button>
      }
    >
      {session.value?.passkeys === true ? (
        <div>
          <Tabs
            label={enrol.title}
            tabs={[
              { key: "totp", label: enrol.app },
              { key: "passkey", label: enrol.passkey },
            ]}
            selected={way}
            onSelect={setWay}
          >
            {way === "totp" ? totp : <PasskeyEnrolment onDone={done} />}
          </Tabs>
        </div>
      ) : (
        totp
      )}
    </Entrance>
  );
}

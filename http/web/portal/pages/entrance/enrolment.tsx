import { useState } from "preact/hooks";
import { PasskeyEnrolment } from "../../components/passkey-enrolment.tsx";
import { RecoveryCodeList } from "../../components/recovery-codes.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { TotpEnrolment } from "../../components/totp-enrolment.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { atDoor } from "../../state/door.ts";
import { Entrance } from "./entrance.tsx";

interface Enrolled {
  recoveryCodes: string[] | null;
}

/**
 * Enrols the first second factor of an account. The session continues only after the recovery codes
 * are saved, because they are shown once.
 */
export function Enrolment<E extends Enrolled>({ goOn }: { goOn: (enrolled: E) => Promise<void> }) {
  const { person, signOut } = atDoor();
  const { enrol, recovery, secondFactor } = text();
  const [way, setWay] = useState<"totp" | "passkey">("totp");
  const [enrolled, setEnrolled] = useState<E | null>(null);
  const leave = useAction(goOn);
  if (enrolled?.recoveryCodes != null) {
    return (
      <Entrance key="recovery" title={recovery.title} wide>
        <RecoveryCodeList codes={enrolled.recoveryCodes} busy={leave.busy} onSaved={() => void leave.run(enrolled)} />
      </Entrance>
    );
  }
  const done = (answer: E): void => {
    if (answer.recoveryCodes === null) void leave.run(answer);
    else setEnrolled(answer);
  };
  const totp = <TotpEnrolment<E> onDone={done} />;
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
      {person()?.passkeys === true ? (
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
            {way === "totp" ? totp : <PasskeyEnrolment<E> onDone={done} />}
          </Tabs>
        </div>
      ) : (
        totp
      )}
    </Entrance>
  );
}

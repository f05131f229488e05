import { text } from "../../i18n/texts.ts";
import { atDoor } from "../../state/door.ts";
import { Entrance } from "./entrance.tsx";
import { SecondFactorForm } from "./second-factor-form.tsx";

/** The second step of sign-in. */
export function SecondFactorPage() {
  const { secondFactor } = text();
  const { person, signOut } = atDoor();
  const entering = person();
  if (entering === null) return null;
  return (
    <Entrance
      title={secondFactor.title}
      lead={secondFactor.lead(entering.name)}
      foot={
        <button type="button" class="text-button" onClick={() => void signOut()}>
          {secondFactor.other}
        </button>
      }
    >
      <SecondFactorForm person={entering} />
    </Entrance>
  );
}

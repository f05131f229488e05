import { Button, IconButton } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { text } from "../../i18n/texts.ts";
import { FREE_MEMBERS_MAX, type FreeMember, freeNameProblem, freeValueProblem } from "./written.ts";

/** Edits a service without predefined members. Names are free, and each value is a secret. */
export function FreeMembers({
  members,
  checked,
  onChange,
}: {
  members: readonly FreeMember[];
  checked: boolean;
  onChange: (members: FreeMember[]) => void;
}) {
  const { paymentMethods: words } = text();
  const set = (id: number, change: Partial<FreeMember>) =>
    onChange(members.map((member) => (member.id === id ? { ...member, ...change } : member)));
  const next = Math.max(-1, ...members.map(({ id }) => id)) + 1;
  return (
    <fieldset class="form">
      <legend class="field-label">{words.membersTitle}</legend>
      <p class="field-hint">{words.membersText}</p>
      {members.map((member) => (
        <div key={member.id} class="free-member">
          <TextField
            label={words.memberName}
            value={member.name}
            disabled={member.stored !== null}
            maxLength={64}
            error={checked ? freeNameProblem(member, members) : null}
            onInput={(name) => set(member.id, { name })}
            autoComplete="off"
          />
          <TextField
            label={words.memberValue}
            type="password"
            autoComplete="new-password"
            value={member.value}
            hint={member.stored === null ? undefined : words.stored(member.stored)}
            error={checked ? freeValueProblem(member) : null}
            onInput={(value) => set(member.id, { value })}
          />
          <IconButton
            icon="close"
            label={words.removeMember(member.name)}
            onClick={() => onChange(members.filter(({ id }) => id !== member.id))}
          />
        </div>
      ))}
      <div class="button-row">
        <Button
          small
          icon="plus"
          disabled={members.length >= FREE_MEMBERS_MAX}
          onClick={() => onChange([...members, { id: next, name: "", value: "", stored: null }])}
        >
          {words.addMember}
        </Button>
      </div>
    </fieldset>
  );
}

import { Button, IconButton } from "../../../portal/components/button.tsx";
import { TextField } from "../../../portal/components/field.tsx";
import { words } from "../../i18n/texts.ts";

/** As RINGS_MAX and RING_GROUPS_MAX of the engine, which decides. */
const RINGS_MAX = 10;
const GROUPS_MAX = 50;
const GROUPS_LENGTH_MAX = 2_000;

/** A ring as it is typed: the names of groups with commas between them, and a percentage. */
export interface TypedRing {
  groups: string;
  percent: string;
}

export const FIRST_RINGS: readonly TypedRing[] = [
  { groups: "", percent: "5" },
  { groups: "", percent: "25" },
  { groups: "", percent: "100" },
];

export function groupsIn({ groups }: TypedRing): string[] {
  return [...new Set(groups.split(",").map((name) => name.trim()))].filter((name) => name !== "");
}

export function isPercent(text: string): boolean {
  return /^\d{1,3}(?:\.\d{1,2})?$/.test(text.trim()) && Number(text) <= 100;
}

/** Null if the ring can be sent. */
export function ringProblem(ring: TypedRing): string | null {
  const { rollouts: own } = words();
  if (ring.percent.trim() !== "" && !isPercent(ring.percent)) return own.create.percentForm;
  const groups = groupsIn(ring);
  if (groups.length > GROUPS_MAX) return own.create.groupsMax(GROUPS_MAX);
  return groups.length === 0 && Number(ring.percent) === 0 ? own.create.ringEmpty : null;
}

export function ringOf(ring: TypedRing): { groups: string[]; percent: number } {
  return { groups: groupsIn(ring), percent: Number(ring.percent.trim()) };
}

/** The steps of a roll-out, in their order. */
export function RingsField({
  rings,
  checked,
  onChange,
}: {
  rings: readonly TypedRing[];
  checked: boolean;
  onChange: (rings: readonly TypedRing[]) => void;
}) {
  const { rollouts: own } = words();
  const change = (index: number, changes: Partial<TypedRing>) =>
    onChange(rings.map((ring, at) => (at === index ? { ...ring, ...changes } : ring)));
  return (
    <fieldset class="rings">
      <legend class="field-label">{own.create.rings}</legend>
      <p class="field-hint">{own.create.ringsHint}</p>
      {rings.map((ring, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rings have no other name than their place.
        <div key={index} class="ring">
          <TextField
            label={own.create.groupsOf(index + 1)}
            optional
            autoComplete="off"
            maxLength={GROUPS_LENGTH_MAX}
            value={ring.groups}
            onInput={(groups) => change(index, { groups })}
          />
          <TextField
            label={own.create.percentOf(index + 1)}
            inputMode="decimal"
            autoComplete="off"
            maxLength={6}
            value={ring.percent}
            onInput={(percent) => change(index, { percent })}
            error={checked ? ringProblem(ring) : null}
          />
          {rings.length > 1 && (
            <IconButton
              icon="close"
              label={own.create.removeRing(index + 1)}
              onClick={() => onChange(rings.filter((_, at) => at !== index))}
            />
          )}
        </div>
      ))}
      {rings.length < RINGS_MAX && (
        <div>
          <Button small icon="plus" onClick={() => onChange([...rings, { groups: "", percent: "100" }])}>
            {own.create.addRing}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

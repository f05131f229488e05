import type { ComponentChildren } from "preact";

/** What is known of something, each with its name. What is null is left out. */
export function Facts({ of: facts }: { of: readonly (readonly [name: string, value: ComponentChildren] | null)[] }) {
  return (
    <dl class="facts">
      {facts.map((fact) => {
        if (fact === null) return null;
        const [name, value] = fact;
        return [<dt key={`${name}-name`}>{name}</dt>, <dd key={name}>{value}</dd>];
      })}
    </dl>
  );
}

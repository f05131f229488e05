import { text } from "../i18n/texts.ts";
import { useResource } from "../state/resource.ts";
import { findInMerchant, optionOf } from "./merchant-source.ts";
import { OptionLine } from "./option-line.tsx";

/**
 * Suggests other objects for an id that a list does not have: those of another kind, and those with
 * a similar id.
 */
export function NearHits({ wanted }: { wanted: string }) {
  const found = useResource(`near ${wanted}`, (signal) => findInMerchant(wanted, signal));
  const { search: words } = text();
  // Without an answer there is nothing to suggest.
  if (found.data === null) return null;
  const { groups, near } = found.data;
  const options = [...groups.flatMap(({ items }) => items), ...near].map(optionOf);
  if (options.length === 0) return null;
  return (
    <section class="near" aria-label={words.suggestions}>
      <p class="search-group">{words.suggestions}</p>
      <ul>
        {options.map((option) => (
          <li key={option.key}>
            <a class="search-option" href={option.href}>
              <OptionLine option={option} />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

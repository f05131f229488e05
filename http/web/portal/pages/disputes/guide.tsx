import { Icon } from "../../components/icon.tsx";
import { text } from "../../i18n/texts.ts";
import type { Category } from "./words.ts";

/** Lists what convinces a bank, for each category of complaint. */
export function Guide({ category }: { category: Category }) {
  const { disputes: words } = text();
  return (
    <section class="guide" aria-label={words.guide.title(words.categories[category])}>
      <h3>{words.guide.title(words.categories[category])}</h3>
      <p>{words.guide.lead[category]}</p>
      <ul>
        {words.guide.items[category].map((item) => (
          <li key={item}>
            <Icon name="check" size={18} />
            <span>{item}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

import { Amount } from "../components/amount.tsx";
import { Badge } from "../components/badge.tsx";
import { Icon } from "../components/icon.tsx";
import { Time } from "../components/time.tsx";
import type { SearchOption } from "./source.ts";

/** Shows something that was found, with its amount, date and state. */
export function OptionLine({ option: { icon, title, second, amount, at, state } }: { option: SearchOption }) {
  return (
    <>
      <Icon name={icon} size={18} />
      <span class="search-what">
        <span class="search-title">{title}</span>
        {second !== undefined && <span class="search-id mono">{second}</span>}
      </span>
      <span class="search-facts">
        {amount !== undefined && <Amount minor={amount.minor} currency={amount.currency} strong />}
        {state !== undefined && <Badge kind={state.kind}>{state.text}</Badge>}
        {at !== undefined && (
          <span class="muted">
            <Time at={at} />
          </span>
        )}
      </span>
    </>
  );
}

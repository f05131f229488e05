import type { WebhookEndpointListJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { SelectField } from "../../components/field.tsx";
import { FilterFoot } from "../../components/filter-bar.tsx";
import { TypedField } from "../../components/typed-field.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { OUTCOMES, shortUrl } from "./words.ts";

const TEST_EVENT = "webhook.test";

export function DeliveryFilters({ filters, endpoints }: { filters: Filters; endpoints: WebhookEndpointListJson | null }) {
  const { webhooks: words, app } = text();
  const { values, set } = filters;
  const { items = [], events = { portal: [], platform: [] } } = endpoints ?? {};
  const all = { value: "", label: app.all };
  const chosen = { endpoint: values["endpointId"] ?? "", type: values["eventType"] ?? "" };
  const endpointChoices = items.map(({ id, url }) => ({ value: id, label: shortUrl(url) }));
  const types = [...new Set([...events.portal, ...events.platform, TEST_EVENT, ...(chosen.type === "" ? [] : [chosen.type])])];
  return (
    <>
      <div class="filters">
        <TypedField
          label={words.object}
          hint={words.objectHint}
          value={values["objectId"] ?? ""}
          onSettled={(objectId) => set({ objectId })}
          problem={() => null}
          type="search"
          maxLength={100}
        />
        <SelectField
          label={words.outcome}
          value={values["outcome"] ?? ""}
          options={[all, ...OUTCOMES.map((value) => ({ value: value as string, label: words.outcomes[value] }))]}
          onChange={(outcome) => set({ outcome })}
        />
        <SelectField
          label={words.eventType}
          value={chosen.type}
          options={[all, ...types.map((value) => ({ value, label: value }))]}
          onChange={(eventType) => set({ eventType })}
        />
        <SelectField
          label={words.endpoint}
          value={chosen.endpoint}
          options={[
            all,
            ...endpointChoices,
            // Of an address that was typed, or of one that is gone.
            ...(chosen.endpoint === "" || endpointChoices.some(({ value }) => value === chosen.endpoint)
              ? []
              : [{ value: chosen.endpoint, label: chosen.endpoint }]),
          ]}
          onChange={(endpointId) => set({ endpointId })}
        />
      </div>
      <FilterFoot filters={filters} />
    </>
  );
}

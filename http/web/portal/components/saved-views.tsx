import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { MeJson } from "../../../surfaces/merchant/sign-in/schemas.ts";
import { get, patch } from "../api/client.ts";
import { hasCode } from "../api/errors.ts";
import { errorText } from "../i18n/error-text.ts";
import { text } from "../i18n/texts.ts";
import { useAction } from "../state/action.ts";
import { useFormValues } from "../state/form-values.ts";
import { useResource } from "../state/resource.ts";
import { toast } from "../state/toasts.ts";
import { TextField } from "./field.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { Icon } from "./icon.tsx";
import { Menu } from "./menu.tsx";

type View = MeJson["savedViews"][number];

const VIEWS_MAX = 20;

/** The same person hardly saves views in more browsers at the same moment. */
const ATTEMPTS_MAX = 3;

/**
 * Stores filters of a list with the account, so that they are also on the phone. `list` is the name
 * in the page's address.
 */
export function SavedViews({ list, query }: { list: string; query: string }) {
  const { transactions: words } = text();
  const { route } = useLocation();
  const me = useResource("me", (signal) => get<MeJson>("/me", { signal }));
  const [naming, setNaming] = useState(false);
  const all = me.data?.savedViews ?? [];
  const views = all.filter((view) => view.list === list);
  /**
   * Applies a change to the views that are stored now, because another browser may have saved some.
   */
  const keep = async (change: (views: readonly View[]) => View[]): Promise<void> => {
    let before = all;
    for (let attempt = 1; ; attempt += 1) {
      try {
        me.replace(await patch<MeJson>("/me", { savedViews: change(before), seen: { savedViews: before } }));
        return;
      } catch (error) {
        if (!hasCode(error, "conflict") || attempt === ATTEMPTS_MAX) throw error;
      }
      before = (await get<MeJson>("/me")).savedViews;
    }
  };
  const forget = useAction(async ({ name }: View) => {
    try {
      await keep((views) => without(views, list, name));
      toast(words.viewRemoved(name));
    } catch (error) {
      toast(errorText(error), "failed");
    }
  });
  return (
    <>
      <Menu
        label={words.views}
        align="left"
        trigger={
          <>
            <Icon name="filter" size={18} />
            <span>{words.views}</span>
            <Icon name="chevronDown" size={16} />
          </>
        }
      >
        {(close) => (
          <>
            {views.length === 0 && <p class="menu-head muted">{words.noViews}</p>}
            {views.map((view) => (
              <div key={view.name} class="menu-row">
                <button
                  type="button"
                  class="menu-item"
                  onClick={() => {
                    close();
                    route(`/portal/${list}?${view.query}`);
                  }}
                >
                  <span>{view.name}</span>
                </button>
                <button
                  type="button"
                  class="icon-button"
                  aria-label={words.removeView(view.name)}
                  title={words.removeView(view.name)}
                  onClick={() => void forget.run(view)}
                >
                  <Icon name="close" size={16} />
                </button>
              </div>
            ))}
            <button
              type="button"
              class="menu-item"
              disabled={query === "" || me.data === null || views.length >= VIEWS_MAX}
              onClick={() => {
                close();
                setNaming(true);
              }}
            >
              <Icon name="plus" size={18} />
              <span>{words.saveView}</span>
            </button>
          </>
        )}
      </Menu>
      {naming && (
        <NameDialog
          taken={views.map(({ name }) => name)}
          onClose={() => setNaming(false)}
          onNamed={async (name) => {
            await keep((before) => [...without(before, list, name), { list, name, query }]);
            toast(words.viewSaved(name));
            setNaming(false);
          }}
        />
      )}
    </>
  );
}

function without(views: readonly View[], list: string, name: string): View[] {
  return views.filter((one) => one.list !== list || one.name !== name);
}

function NameDialog({
  taken,
  onClose,
  onNamed,
}: {
  taken: readonly string[];
  onClose: () => void;
  onNamed: (name: string) => Promise<void>;
}) {
  const { transactions: words, app, fields } = text();
  const form = useFormValues({ name: "" }, (written) => ({ name: written.name.trim() === "" ? fields.required : null }));
  const name = form.values.name.trim();
  const save = useAction(() => onNamed(name));
  return (
    <FormDialog title={words.saveView} action={save} onSubmit={() => form.submit(save.run)} submit={app.save} onClose={onClose}>
      <TextField
        label={words.viewName}
        hint={taken.includes(name) ? words.viewReplaced : words.viewNameHint}
        value={form.values.name}
        maxLength={64}
        error={form.problem("name")}
        onInput={(typed) => form.change({ name: typed })}
        autoFocus
      />
    </FormDialog>
  );
}

import { text } from "../i18n/texts.ts";
import type { Shortcut } from "../state/shortcut-keys.ts";
import { setSingleKeys, shortcuts, singleKeys } from "../state/shortcuts.ts";
import { Dialog } from "./dialog.tsx";
import { CheckField } from "./field.tsx";

/** Lists the shortcuts of the page, and switches those of a single key off and on. */
export function ShortcutsHelp({ onClose }: { onClose: () => void }) {
  const { shortcuts: words } = text();
  const { value: areOn } = singleKeys;
  const own = shortcuts.value.filter(({ keys }) => areOn || keys.startsWith("Mod+"));
  return (
    <Dialog title={words.title} onClose={onClose}>
      <ShortcutList lines={own.map((shortcut) => [shortcut.keys, shortcut.name(text())])} />
      <section class="form">
        <h3>{words.always}</h3>
        <ShortcutList
          lines={[
            ["Tab", words.next],
            ["Enter", words.open],
            ["Escape", words.close],
            ["← →", words.tabs],
          ]}
        />
      </section>
      <div>
        <CheckField label={words.singleKeys} checked={areOn} onChange={setSingleKeys} />
        <p class="field-hint">{words.singleKeysHint}</p>
      </div>
    </Dialog>
  );
}

function ShortcutList({ lines }: { lines: readonly (readonly [keys: Shortcut["keys"], name: string])[] }) {
  return (
    <dl class="shortcuts">
      {lines.map(([keys, name]) => (
        <div key={keys}>
          <dt>{name}</dt>
          <dd>
            {keys.split(/[ +](?=.)/).map((key) => (
              <kbd key={key}>{keyName(key)}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function keyName(key: string): string {
  const { keys } = text().shortcuts;
  if (key === "Mod") return /mac|iphone|ipad/i.test(navigator.userAgent) ? "⌘" : keys.Ctrl;
  if (key === "Tab" || key === "Enter" || key === "Escape") return keys[key];
  return key.length === 1 ? key.toUpperCase() : key;
}

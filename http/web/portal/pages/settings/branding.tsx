import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { COLOR_PATTERN, paletteOf } from "../../../../../engine/branding/colors.ts";
import type { BrandingJson } from "../../../../surfaces/merchant/branding/schemas.ts";
import { get, put, remove } from "../../api/client.ts";
import { upload } from "../../api/upload.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { TextField } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useResource } from "../../state/resource.ts";
import { may } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { Setting } from "./setting.tsx";

const TYPES = "image/png,image/jpeg,image/webp";
const COLOR = new RegExp(COLOR_PATTERN);
/** The colour of buyers' pages without branding. */
const USUAL_COLOR = "#0b5fa5";

/** Shows the logo and the colour that customers see. People who may change settings choose them. */
export function Branding() {
  const { branding: words } = text().settings;
  const branding = useResource("branding", (signal) => get<BrandingJson>("/branding", { signal }));
  return (
    <Panel title={words.title} hint={words.hint}>
      <Loaded of={branding}>{(data) => <Choices branding={data} onChanged={branding.replace} />}</Loaded>
    </Panel>
  );
}

interface ChoicesProps {
  branding: BrandingJson;
  onChanged: (branding: BrandingJson) => void;
}

function Choices({ branding, onChanged }: ChoicesProps) {
  const { branding: words } = text().settings;
  const [color, setColor] = useState(branding.color ?? "");
  const mayChange = may("configure");
  return (
    <div class="branding">
      <div>
        {mayChange ? (
          <>
            <LogoChoice branding={branding} onChanged={onChanged} />
            <ColorChoice branding={branding} color={color} onInput={setColor} onChanged={onChanged} />
          </>
        ) : (
          <p class="muted">{words.notYours}</p>
        )}
      </div>
      <Preview branding={branding} color={COLOR.test(color) ? color : branding.color} />
    </div>
  );
}

function LogoChoice({ branding: { logo }, onChanged }: ChoicesProps) {
  const { branding: words } = text().settings;
  const input = useRef<HTMLInputElement>(null);
  const [removing, setRemoving] = useState(false);
  const save = useAction(async (file: File) => {
    const { signal } = new AbortController();
    onChanged(await upload<BrandingJson>("/branding/logo", file, { signal, onProgress: () => undefined }));
    toast(words.logoSaved);
  });
  return (
    <>
      <Setting
        icon="file"
        title={words.logo}
        actions={
          <>
            <Button small busy={save.busy} onClick={() => input.current?.click()}>
              {logo === null ? words.chooseLogo : words.replaceLogo}
            </Button>
            {logo !== null && (
              <Button small label={words.removeLogo} onClick={() => setRemoving(true)}>
                {text().settings.turnOff}
              </Button>
            )}
          </>
        }
      >
        {words.logoText}
      </Setting>
      <input
        ref={input}
        type="file"
        hidden
        accept={TYPES}
        aria-label={words.chooseLogo}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) void save.run(file);
          // Clearing the value allows the same file to be chosen again after it was corrected.
          currentTarget.value = "";
        }}
      />
      <p class="field-error" role="alert">
        {save.error === null ? null : errorText(save.error)}
      </p>
      {removing && (
        <ConfirmDialog
          title={words.removeLogoTitle}
          confirm={text().settings.turnOff}
          danger
          act={async () => {
            onChanged(await remove<BrandingJson>("/branding/logo"));
            toast(words.logoRemoved);
          }}
          onClose={() => setRemoving(false)}
        >
          {words.removeLogoText}
        </ConfirmDialog>
      )}
    </>
  );
}

function ColorChoice({ branding, color, onInput, onChanged }: ChoicesProps & { color: string; onInput: (color: string) => void }) {
  const { branding: words } = text().settings;
  const [checked, setChecked] = useState(false);
  const save = useAction(async (chosen: string | null) => {
    const saved = await put<BrandingJson>("/branding/color", { color: chosen });
    onChanged(saved);
    onInput(saved.color ?? "");
    setChecked(false);
    toast(saved.color === null ? words.colorRemoved : words.colorSaved);
  });
  const problem = COLOR.test(color) ? null : words.colorProblem;
  return (
    <Form
      error={save.error}
      busy={save.busy}
      onSubmit={() => {
        setChecked(true);
        if (problem === null) void save.run(color);
      }}
    >
      <div class="branding-color">
        <TextField
          label={words.color}
          hint={words.colorText}
          value={color}
          onInput={onInput}
          error={checked ? problem : null}
          placeholder="#b3261e"
          maxLength={7}
          mono
        />
        <input
          type="color"
          class="branding-picker"
          aria-label={words.pickColor}
          value={COLOR.test(color) ? color : USUAL_COLOR}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      </div>
      <div class="button-row">
        <Button type="submit" kind="primary" small busy={save.busy}>
          {words.saveColor}
        </Button>
        {branding.color !== null && (
          <Button small label={words.removeColor} onClick={() => void save.run(null)}>
            {text().settings.turnOff}
          </Button>
        )}
      </div>
    </Form>
  );
}

/** Shows the head of a page as a customer sees it, also before the colour is saved. */
function Preview({ branding: { name, logo }, color }: { branding: BrandingJson; color: string | null }) {
  const { branding: words } = text().settings;
  const card = useRef<HTMLDivElement>(null);
  const { fill, onFill, accent } = paletteOf(color ?? USUAL_COLOR);
  // The policy of the page forbids attributes with styles, and allows scripts to set properties.
  useLayoutEffect(() => {
    card.current?.style.setProperty("--shop-fill", fill);
    card.current?.style.setProperty("--shop-on-fill", onFill);
    card.current?.style.setProperty("--shop-accent", `light-dark(${accent.light}, ${accent.dark})`);
  }, [fill, onFill, accent.light, accent.dark]);
  const isBranded = color !== null || logo !== null;
  return (
    <figure class="branding-preview">
      <figcaption class="field-label">{words.preview}</figcaption>
      <div ref={card} class={`branding-card${color === null ? "" : " branding-colored"}`}>
        {isBranded && (
          <p class="branding-shop">
            {logo !== null && <img class="branding-logo" src={logo.url} alt={words.logoOf(name)} />}
            <span>{name}</span>
          </p>
        )}
        <p class="branding-title">{words.payTo(name)}</p>
        <p class="branding-button">{words.pay}</p>
        <p class="branding-link">{words.link}</p>
      </div>
    </figure>
  );
}

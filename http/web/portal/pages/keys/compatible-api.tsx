import { useState } from "preact/hooks";
import type { CompatSettingsJson } from "../../../../surfaces/merchant/compat-settings/schemas.ts";
import { get, put } from "../../api/client.ts";
import { Button } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { Form, FormActions } from "../../components/form.tsx";
import { Loaded, Panel } from "../../components/panel.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useResource } from "../../state/resource.ts";
import { toast } from "../../state/toasts.ts";

/** Sets the version of the compatible API and the apps that buyers return to. */
export function CompatibleApi() {
  const { compatibleApi: words } = text();
  const settings = useResource("compatible-api", (signal) => get<CompatSettingsJson>("/compatible-api", { signal }));
  const saved = () => {
    settings.reload();
    toast(words.saved);
  };
  return (
    <Panel title={words.title} hint={words.hint}>
      <Loaded of={settings}>
        {(data) => (
          <>
            <Version settings={data} onSaved={saved} />
            <Schemes settings={data} onSaved={saved} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

interface PartProps {
  settings: CompatSettingsJson;
  onSaved: () => void;
}

function Version({ settings: { defaultVersion, effectiveVersion }, onSaved }: PartProps) {
  const { compatibleApi: words } = text();
  const [version, setVersion] = useState(defaultVersion ?? "");
  const save = useAction(async () => {
    const typed = version.trim();
    await put("/compatible-api/default-version", { version: typed === "" ? null : typed });
    onSaved();
  });
  return (
    <Form onSubmit={() => void save.run()} error={save.error} busy={save.busy}>
      <TextField label={words.version} hint={words.versionHint(effectiveVersion)} value={version} onInput={setVersion} optional mono />
      <FormActions>
        <Button type="submit" busy={save.busy}>
          {words.saveVersion}
        </Button>
      </FormActions>
    </Form>
  );
}

function Schemes({ settings: { returnSchemes }, onSaved }: PartProps) {
  const { compatibleApi: words } = text();
  const [typed, setTyped] = useState(returnSchemes.join(", "));
  const save = useAction(async () => {
    await put("/compatible-api/return-schemes", { schemes: schemesIn(typed) });
    onSaved();
  });
  return (
    <Form onSubmit={() => void save.run()} error={save.error} busy={save.busy}>
      <TextField label={words.schemes} hint={words.schemesHint} value={typed} onInput={setTyped} optional mono />
      <FormActions>
        <Button type="submit" busy={save.busy}>
          {words.saveSchemes}
        </Button>
      </FormActions>
    </Form>
  );
}

/** People paste the start of an address, such as `myapp://`. */
function schemesIn(typed: string): string[] {
  return typed
    .split(/[\s,]+/)
    .map((one) => one.replace(/:(?:\/\/)?$/, "").toLowerCase())
    .filter((one) => one !== "");
}

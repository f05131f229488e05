import { useState } from "preact/hooks";
import type { FLEET_ACTIONS } from "../../../../../engine/fleet/words.ts";
import type { FleetActionJson } from "../../../../surfaces/admin/fleet/fleet-schemas.ts";
import { get, post } from "../../../portal/api/client.ts";
import { PortalError } from "../../../portal/api/errors.ts";
import { CheckField, SelectField, TextAreaField, TextField } from "../../../portal/components/field.tsx";
import { FormDialog } from "../../../portal/components/form-dialog.tsx";
import { formatNumber } from "../../../portal/i18n/format.ts";
import { useAction } from "../../../portal/state/action.ts";
import { useResource } from "../../../portal/state/resource.ts";
import { toast } from "../../../portal/state/toasts.ts";
import type { VersionJson } from "../../api/types.ts";
import { words } from "../../i18n/texts.ts";
import { countOf, type Selection } from "./list.ts";

type Action = (typeof FLEET_ACTIONS)[number];

const GROUP_LENGTH_MAX = 64;

/** A setting in a line: a name, an equals sign, and a value. */
const SETTING = /^\s*([A-Za-z0-9._-]{1,64})\s*=\s*(.*?)\s*$/;

/** Asks what an action needs, says what it does, and starts it. */
export function ActDialog({
  type,
  selection,
  onClose,
  onStarted,
}: {
  type: Action;
  selection: Selection;
  onClose: () => void;
  onStarted: (action: FleetActionJson) => void;
}) {
  const { fleet: own } = words();
  const [setsGroup, setSetsGroup] = useState(false);
  const [group, setGroup] = useState("");
  const [settings, setSettings] = useState("");
  const [versionId, setVersionId] = useState("");
  const [checked, setChecked] = useState(false);
  const odd = settings.split("\n").find((line) => line.trim() !== "" && !SETTING.test(line));
  const problem =
    type === "INSTALL" && versionId === ""
      ? own.versionMissing
      : type !== "SETTINGS"
        ? null
        : odd !== undefined
          ? own.settingsForm(odd.trim())
          : settings.trim() === "" && !setsGroup
            ? own.settingsMissing
            : null;
  const start = useAction(async () => {
    const order =
      type === "SETTINGS"
        ? {
            ...(setsGroup ? { group: group.trim() === "" ? null : group.trim() } : {}),
            ...(settings.trim() === "" ? {} : { settings: settingsIn(settings) }),
          }
        : type === "INSTALL"
          ? { versionId: Number(versionId) }
          : {};
    const wanted = selection.type === "some" ? { terminalIds: selection.ids } : { filter: selection.query };
    const action = await post<FleetActionJson>("/fleet/actions", { type, ...wanted, ...order }).catch((error: unknown) => {
      // The relay's message says what stands in the way.
      throw error instanceof PortalError && error.status === 409 ? new PortalError("invalid_request", 409, error.message) : error;
    });
    toast(own.started);
    onStarted(action);
  });
  return (
    <FormDialog
      title={own.actionTitle(own.actions[type], formatNumber(countOf(selection)))}
      action={start}
      onSubmit={() => {
        setChecked(true);
        if (problem === null) void start.run();
      }}
      submit={own.start}
      kind={type === "RESTART" ? "danger" : "primary"}
      onClose={onClose}
    >
      <p class="lead">{own.texts[type]}</p>
      {type === "INSTALL" && <VersionField value={versionId} onChange={setVersionId} error={checked ? problem : null} />}
      {type === "SETTINGS" && (
        <>
          <CheckField label={own.setsGroup} checked={setsGroup} onChange={setSetsGroup} />
          {setsGroup && (
            <TextField
              label={own.groupValue}
              hint={own.groupHint}
              autoComplete="off"
              maxLength={GROUP_LENGTH_MAX}
              value={group}
              onInput={setGroup}
            />
          )}
          <TextAreaField
            label={own.settings}
            hint={own.settingsHint}
            rows={5}
            value={settings}
            onInput={setSettings}
            error={checked ? problem : null}
          />
        </>
      )}
    </FormDialog>
  );
}

function VersionField({ value, onChange, error }: { value: string; onChange: (value: string) => void; error: string | null }) {
  const { fleet: own, rollouts } = words();
  const versions = useResource("app versions", (signal) => get<VersionJson[]>("/app-versions", { signal }));
  const offerable = (versions.data ?? []).filter(({ active, apkUrl }) => active && apkUrl !== null);
  return (
    <SelectField
      label={own.version}
      value={value}
      options={[
        { value: "", label: own.versionMissing },
        ...offerable.map(({ id, versionName, versionCode }) => ({
          value: String(id),
          label: rollouts.create.named(versionName, versionCode),
        })),
      ]}
      onChange={onChange}
      error={error}
    />
  );
}

/** Numbers, `true` and `false` are sent as such, all else as text. */
function settingsIn(lines: string): Record<string, string | number | boolean> {
  return Object.fromEntries(
    lines.split("\n").flatMap((line) => {
      const [, name, value = ""] = SETTING.exec(line) ?? [];
      return name === undefined ? [] : [[name, valueIn(value)]];
    }),
  );
}

function valueIn(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d{1,15}(?:\.\d{1,6})?$/.test(text) ? Number(text) : text;
}

import { useState } from "preact/hooks";
import { post } from "../../../portal/api/client.ts";
import { PortalError } from "../../../portal/api/errors.ts";
import { CheckField, ChoiceField, SelectField, TextField } from "../../../portal/components/field.tsx";
import { FormDialog } from "../../../portal/components/form-dialog.tsx";
import { useAction } from "../../../portal/state/action.ts";
import { toast } from "../../../portal/state/toasts.ts";
import type { DeploymentJson, VersionJson } from "../../api/types.ts";
import { words } from "../../i18n/texts.ts";
import { FIRST_RINGS, isPercent, RingsField, ringOf, ringProblem, type TypedRing } from "./rings-field.tsx";

const ID = /^[A-Za-z0-9._-]{1,64}$/;
const COUNT = /^[1-9]\d{0,5}$/;

type Target = DeploymentJson["target"];

interface Plan {
  versionId: string;
  target: Target;
  targetId: string;
  by: "percent" | "rings";
  percent: string;
  rings: readonly TypedRing[];
  advance: "manual" | "automatic";
  advanceAfter: string;
  failures: string;
  failuresAfter: string;
  startsNow: boolean;
}

/** Plans a roll-out: what, for whom, in which steps, and when it stops by itself. */
export function CreateDialog({
  versions,
  onClose,
  onCreated,
}: {
  versions: readonly VersionJson[];
  onClose: () => void;
  onCreated: (deployment: DeploymentJson) => void;
}) {
  const { rollouts: own } = words();
  const offerable = versions.filter(({ active }) => active);
  const [plan, setPlan] = useState<Plan>({
    versionId: String(offerable[0]?.id ?? ""),
    ...{ target: "global", targetId: "", by: "percent", percent: "10", rings: FIRST_RINGS },
    ...{ advance: "manual", advanceAfter: "20", failures: "10", failuresAfter: "10", startsNow: false },
  });
  const [checked, setChecked] = useState(false);
  const change = (changes: Partial<Plan>) => setPlan((before) => ({ ...before, ...changes }));
  const problems = problemsOf(plan);
  const shown = (name: keyof typeof problems) => (checked ? problems[name] : null);
  const create = useAction(async () => {
    const deployment = await post<DeploymentJson>(`/app-versions/${plan.versionId}/deploy-${plan.target}`, requestOf(plan)).catch(
      (error: unknown) => {
        // The relay's message says what stands in the way.
        throw error instanceof PortalError && error.status === 409 ? new PortalError("invalid_request", 409, error.message) : error;
      },
    );
    toast(own.create.done);
    onCreated(deployment);
  });
  return (
    <FormDialog
      title={own.create.title}
      action={create}
      onSubmit={() => {
        setChecked(true);
        if (isGood(plan, problems)) void create.run();
      }}
      submit={plan.startsNow ? own.create.submitStart : own.create.submit}
      onClose={onClose}
    >
      <SelectField
        label={own.version}
        value={plan.versionId}
        options={offerable.map(({ id, versionName, versionCode, apkUrl }) => ({
          value: String(id),
          label: apkUrl === null ? own.create.withoutPackage(versionName, versionCode) : own.create.named(versionName, versionCode),
        }))}
        onChange={(versionId) => change({ versionId })}
        error={shown("version")}
      />
      <SelectField
        label={own.create.target}
        value={plan.target}
        options={(["global", "merchant", "terminal"] as const).map((value) => ({ value, label: own.create.targets[value] }))}
        onChange={(target) => change({ target })}
      />
      {plan.target !== "global" && (
        <TextField
          label={plan.target === "merchant" ? own.create.merchantId : own.create.terminalId}
          autoComplete="off"
          maxLength={64}
          mono
          value={plan.targetId}
          onInput={(targetId) => change({ targetId: targetId.trim() })}
          error={shown("target")}
        />
      )}
      {plan.target !== "terminal" && <Steps {...{ plan, change, checked, shown }} />}
      {plan.target !== "terminal" && (
        <CheckField label={own.create.startsNow} checked={plan.startsNow} onChange={(startsNow) => change({ startsNow })} />
      )}
    </FormDialog>
  );
}

type Problems = ReturnType<typeof problemsOf>;

function Steps({
  plan,
  change,
  checked,
  shown,
}: {
  plan: Plan;
  change: (changes: Partial<Plan>) => void;
  checked: boolean;
  shown: (name: keyof Problems) => string | null;
}) {
  const { rollouts: own } = words();
  return (
    <>
      <ChoiceField
        label={own.create.by}
        value={plan.by}
        options={(["percent", "rings"] as const).map((value) => ({
          value,
          label: own.create.ways[value],
          hint: own.create.wayHints[value],
        }))}
        onChange={(by) => change({ by })}
      />
      {plan.by === "percent" ? (
        <TextField
          label={own.create.percent}
          hint={own.create.percentHint}
          inputMode="decimal"
          autoComplete="off"
          maxLength={6}
          value={plan.percent}
          onInput={(percent) => change({ percent })}
          error={shown("percent")}
        />
      ) : (
        <>
          <RingsField rings={plan.rings} checked={checked} onChange={(rings) => change({ rings })} />
          <SelectField
            label={own.create.advance}
            value={plan.advance}
            options={(["manual", "automatic"] as const).map((value) => ({ value, label: own.create.advances[value] }))}
            onChange={(advance) => change({ advance })}
          />
          {plan.advance === "automatic" && (
            <TextField
              label={own.create.advanceAfter}
              hint={own.create.advanceHint}
              inputMode="numeric"
              autoComplete="off"
              maxLength={6}
              value={plan.advanceAfter}
              onInput={(advanceAfter) => change({ advanceAfter: advanceAfter.trim() })}
              error={shown("advanceAfter")}
            />
          )}
        </>
      )}
      <TextField
        label={own.create.failures}
        hint={own.create.failuresHint}
        optional
        inputMode="decimal"
        autoComplete="off"
        maxLength={6}
        value={plan.failures}
        onInput={(failures) => change({ failures: failures.trim() })}
        error={shown("failures")}
      />
      {plan.failures !== "" && (
        <TextField
          label={own.create.failuresAfter}
          inputMode="numeric"
          autoComplete="off"
          maxLength={6}
          value={plan.failuresAfter}
          onInput={(failuresAfter) => change({ failuresAfter: failuresAfter.trim() })}
          error={shown("failuresAfter")}
        />
      )}
    </>
  );
}

function problemsOf(plan: Plan) {
  const { create } = words().rollouts;
  const isStaged = plan.target !== "terminal";
  const countProblem = (needed: boolean, text: string) => (isStaged && needed && !COUNT.test(text) ? create.countForm : null);
  return {
    version: plan.versionId === "" ? create.versionMissing : null,
    target: plan.target !== "global" && !ID.test(plan.targetId) ? create.idForm : null,
    percent: isStaged && plan.by === "percent" && !isPercent(plan.percent) ? create.percentForm : null,
    advanceAfter: countProblem(plan.by === "rings" && plan.advance === "automatic", plan.advanceAfter),
    failures: isStaged && plan.failures !== "" && !(isPercent(plan.failures) && Number(plan.failures) >= 1) ? create.failuresForm : null,
    failuresAfter: countProblem(plan.failures !== "", plan.failuresAfter),
  };
}

function isGood({ by, target, rings }: Plan, problems: Problems): boolean {
  const isStaged = target !== "terminal" && by === "rings";
  return Object.values(problems).every((problem) => problem === null) && (!isStaged || rings.every((ring) => ringProblem(ring) === null));
}

/** What the relay is asked for. A roll-out to one terminal has no steps. */
function requestOf({ target, targetId, by, percent, rings, advance, advanceAfter, failures, failuresAfter, startsNow }: Plan): object {
  if (target === "terminal") return { terminalId: targetId };
  const steps =
    by === "percent"
      ? { rolloutPercent: Number(percent) }
      : { rings: rings.map(ringOf), ...(advance === "automatic" ? { advanceAfterReports: Number(advanceAfter) } : {}) };
  return {
    ...(target === "merchant" ? { merchantId: targetId } : {}),
    ...steps,
    ...(failures === "" ? {} : { pauseAtFailurePercent: Number(failures), pauseAfterReports: Number(failuresAfter) }),
    startsByHand: !startsNow,
  };
}

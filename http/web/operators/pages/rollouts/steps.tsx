import { useState } from "preact/hooks";
import { post } from "../../../portal/api/client.ts";
import { PortalError } from "../../../portal/api/errors.ts";
import { Badge, type BadgeKind } from "../../../portal/components/badge.tsx";
import { Button } from "../../../portal/components/button.tsx";
import { ConfirmDialog } from "../../../portal/components/confirm-dialog.tsx";
import { toast } from "../../../portal/state/toasts.ts";
import type { DeploymentJson } from "../../api/types.ts";
import { words } from "../../i18n/texts.ts";

export type Step = "start" | "next-ring" | "pause" | "resume" | "stop" | "roll-back";

const STATE_KINDS: Readonly<Record<DeploymentJson["state"], BadgeKind>> = {
  draft: "neutral",
  active: "good",
  paused: "warn",
  superseded: "neutral",
  disabled: "bad",
};

export function DeploymentState({ deployment }: { deployment: DeploymentJson }) {
  const { rollouts: own } = words();
  const { state, pausedBecause, startsByHand, stopped } = deployment;
  const word =
    pausedBecause === "failures"
      ? own.pausedByFailures
      : startsByHand === true
        ? own.notStarted
        : stopped === true
          ? own.isStopped
          : own.states[state];
  return <Badge kind={STATE_KINDS[state]}>{word}</Badge>;
}

/** What can be done with a deployment in its state; the relay decides. */
export function stepsOf({ state, startsByHand, rings = [], ringsStarted = 0 }: DeploymentJson): Step[] {
  switch (state) {
    case "draft":
      return startsByHand === true ? ["start", "stop"] : ["stop"];
    case "active":
      return [...(ringsStarted < rings.length ? (["next-ring"] as const) : []), "pause", "stop", "roll-back"];
    case "paused":
      return ["resume", "stop", "roll-back"];
    case "disabled":
      return ["stop"];
    case "superseded":
      return [];
  }
}

/** Buttons for the steps of a deployment, each with a question. */
export function DeploymentSteps({
  deployment,
  versionName,
  onChanged,
}: {
  deployment: DeploymentJson;
  versionName: string;
  onChanged: () => void;
}) {
  const { rollouts: own } = words();
  const [asking, setAsking] = useState<Step | null>(null);
  return (
    <>
      <div class="button-row">
        {stepsOf(deployment).map((step) => (
          <Button
            key={step}
            kind={step === "start" || step === "next-ring" ? "primary" : step === "stop" ? "danger-quiet" : "secondary"}
            onClick={() => setAsking(step)}
          >
            {own.steps[step]}
          </Button>
        ))}
      </div>
      {asking !== null && (
        <ConfirmDialog
          title={own.askTitle(own.steps[asking], versionName)}
          confirm={own.steps[asking]}
          danger={asking === "roll-back" || asking === "stop"}
          act={async () => {
            try {
              await post(`/app-deployments/${deployment.id}/${asking}`, {});
            } catch (error) {
              onChanged();
              // The relay's message says what stands in the way.
              throw error instanceof PortalError && error.status === 409 ? new PortalError("invalid_request", 409, error.message) : error;
            }
            toast(own.stepDone);
            onChanged();
          }}
          onClose={() => setAsking(null)}
        >
          {own.stepTexts[asking]}
        </ConfirmDialog>
      )}
    </>
  );
}

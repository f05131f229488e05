import { useState } from "preact/hooks";
import type { AgentCredentialWithTokenJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { text } from "../../i18n/texts.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { ReviewStep } from "./review-step.tsx";
import { LimitsStep, ScopesStep, type StepProps, ValidityStep } from "./wizard-steps.tsx";
import { NEW, type Step, stepsOf, type Written } from "./written.ts";

/**
 * Creates a credential step by step: scopes, limits and validity, and a review before it is
 * created.
 */
export function CreateWizard({ onClose, onCreated }: { onClose: () => void; onCreated: (created: AgentCredentialWithTokenJson) => void }) {
  const { wizard: words } = text().agents;
  const [written, setWritten] = useState<Written>(NEW);
  const [step, setStep] = useState<Step>("scopes");
  // All steps share one key. If the outcome is unknown and the person goes back, the next attempt
  // does not create a second credential.
  const sendOnce = useSendOnce();
  const go = (by: number) => (values: Written) => {
    const steps = stepsOf(values);
    setWritten(values);
    setStep(steps[steps.indexOf(step) + by] ?? step);
  };
  const steps = stepsOf(written);
  const props: StepProps = {
    ...{ written, title: words.title(words.steps[step], steps.indexOf(step) + 1, steps.length) },
    ...{ onClose, onNext: go(1), onBack: go(-1), unsaved: written === NEW ? undefined : text().app.leaveText },
  };
  switch (step) {
    case "scopes":
      return <ScopesStep {...props} />;
    case "limits":
      return <LimitsStep {...props} />;
    case "validity":
      return <ValidityStep {...props} />;
    case "review":
      return <ReviewStep {...props} sendOnce={sendOnce} onCreated={onCreated} />;
  }
}

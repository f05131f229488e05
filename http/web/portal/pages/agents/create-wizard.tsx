import { useState } from "preact/hooks";
import type { AgentCredentialWithTokenJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { text } from "../../i18n/texts.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { ReviewStep } from "./review-step.tsx";
import { LimitsStep, ScopesStep, type StepProps, ValidityStep } from "./wizard-steps.tsx";
import { NEW, type Step, stepsOf, type Written } from "./written.ts";

/** A new credential, step by step: what it may do, within which limits, for how long, and all of that once more before it is made. */
export function CreateWizard({ onClose, onCreated }: { onClose: () => void; onCreated: (created: AgentCredentialWithTokenJson) => void }) {
  const { wizard: words } = text().agents;
  const [written, setWritten] = useState<Written>(NEW);
  const [step, setStep] = useState<Step>("scopes");
  // Of all steps: whoever goes back while it is not known whether it was made asks for the same one afterwards.
  const sendOnce = useSendOnce();
  const go = (by: number) => (values: Written) => {
    const steps = stepsOf(values);
    setWritten(values);
    setStep(steps[steps.indexOf(step) + by] ?? step);
  };
  const steps = stepsOf(written);
  const props: StepProps = {
    ...{ written, title: words.title(words.steps[step], steps.indexOf(step) + 1, steps.length) },
    ...{ onClose, onNext: go(1), onBack: go(-1) },
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

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { TextField } from "./field.tsx";

/** A list is loaded again after the person has stopped typing for this time. */
const TYPING_MS = 350;

/** A field that reports its value when the person has stopped typing. */
export function TypedField({
  label,
  hint,
  value,
  problem,
  onSettled,
  type = "text",
  inputMode = "text",
  placeholder = "",
  maxLength = 64,
  echo,
}: {
  label: string;
  hint?: string | undefined;
  value: string;
  problem: (value: string) => string | null;
  onSettled: (value: string) => void;
  type?: "text" | "search" | undefined;
  inputMode?: "text" | "decimal" | "email" | undefined;
  placeholder?: string;
  maxLength?: number | undefined;
  /** Shows how the text is understood. `change` types another one. */
  echo?: (typed: string, change: (typed: string) => void) => ComponentChildren;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? value;
  const wrong = problem(shown.trim());
  // The latest callback includes changes that other fields made meanwhile.
  const settled = useRef(onSettled);
  settled.current = onSettled;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it depends on the text.
  useEffect(() => {
    if (typed === null) return;
    const timer = setTimeout(() => {
      if (wrong !== null) return;
      setTyped(null);
      if (typed.trim() !== value) settled.current(typed.trim());
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, wrong]);
  return (
    <TextField
      label={label}
      hint={hint}
      value={shown}
      type={type}
      inputMode={inputMode}
      placeholder={placeholder}
      maxLength={maxLength}
      error={wrong}
      echo={echo?.(shown, setTyped)}
      onInput={setTyped}
    />
  );
}

import { useEffect, useState } from "preact/hooks";
import { text } from "../i18n/texts.ts";
import { Button } from "./button.tsx";

/** The button confirms the copy for this time. */
const SAID_MS = 2_000;

/** Copies a text. If the browser denies it, the person can still select the text. */
export function CopyButton({ value, label, small }: { value: string; label?: string; small?: boolean }) {
  const [copied, setCopied] = useState(false);
  const { app } = text();
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <>
      <Button
        icon={copied ? "check" : "copy"}
        small={small}
        onClick={() => {
          navigator.clipboard.writeText(value).then(
            () => setCopied(true),
            () => setCopied(false),
          );
        }}
      >
        {copied ? app.copied : (label ?? app.copy)}
      </Button>
      <span class="visually-hidden" role="status">
        {copied ? app.copied : ""}
      </span>
    </>
  );
}

/** Shows a text that people copy, such as an id or a key. */
export function Copyable({ value }: { value: string }) {
  return (
    <span class="copyable">
      <code>{value}</code>
      <CopyButton value={value} small />
    </span>
  );
}

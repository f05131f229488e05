import { useEffect, useState } from "preact/hooks";
import { text } from "../i18n/texts.ts";
import { Button } from "./button.tsx";

/** How long the button says that it has copied. */
const SAID_MS = 2_000;

/** Copies a text. Where the browser refuses, the text is still there to select. */
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

/** A text that is made to be copied: an id, a key. */
export function Copyable({ value }: { value: string }) {
  return (
    <span class="copyable">
      <code>{value}</code>
      <CopyButton value={value} small />
    </span>
  );
}

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/**
 * The navigation at the side. In a narrow window it shows icons, and its labels in front of the
 * page while the pointer or the focus of the keyboard is in it. Escape hides the labels again.
 */
export function Sidebar({ children }: { children: ComponentChildren }) {
  const [isDismissed, setDismissed] = useState(false);
  useEffect(() => {
    const pressed = ({ key }: KeyboardEvent) => key === "Escape" && setDismissed(true);
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
  const reset = () => setDismissed(false);
  return (
    <aside class={`sidebar${isDismissed ? " sidebar-dismissed" : ""}`} onPointerEnter={reset} onPointerLeave={reset} onFocusOut={reset}>
      {children}
    </aside>
  );
}

import { useEffect } from "preact/hooks";
import { navigate } from "../state/navigation.ts";

/** Opens another page without a new history entry. */
export function Redirect({ to }: { to: string }) {
  useEffect(() => navigate(to, { replace: true }), [to]);
  return null;
}

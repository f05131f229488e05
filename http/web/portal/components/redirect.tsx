import { useEffect } from "preact/hooks";
import { navigate } from "../state/navigation.ts";

/** Goes to another page, without a step in the history. */
export function Redirect({ to }: { to: string }) {
  useEffect(() => navigate(to, { replace: true }), [to]);
  return null;
}

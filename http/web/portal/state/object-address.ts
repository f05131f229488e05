import { useEffect, useState } from "preact/hooks";

/**
 * Returns an address under which the browser finds a text as a file while the component is shown.
 */
export function useObjectAddress(contents: string): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([contents], { type: "text/plain;charset=utf-8" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [contents]);
  return address;
}

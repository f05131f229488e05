import { useEffect, useState } from "preact/hooks";

/** An address at which the browser finds a text as a file, as long as it is shown. */
export function useObjectAddress(contents: string): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([contents], { type: "text/plain;charset=utf-8" }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [contents]);
  return address;
}

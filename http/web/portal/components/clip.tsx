/**
 * Cuts a long text where there is no room. The whole text appears under the pointer; the object's
 * drawer has it for the keyboard. `look`: classes of its width and font. `whole`: the whole text,
 * if even the uncut one is short for something.
 */
export function Clip({ children, look = "", whole = children }: { children: string; look?: string; whole?: string }) {
  return (
    <span class={`clip ${look}`.trim()} title={whole}>
      {children}
    </span>
  );
}

/** Forms in which a secret could lie somewhere without anybody noticing. */
export function formsOf(secret: string): Buffer[] {
  const bytes = Buffer.from(secret, "utf8");
  // In base64 the text of a part depends on where it stands in the whole: of three shifts one is found.
  const shifted = [0, 1, 2].map((pad) =>
    Buffer.concat([Buffer.alloc(pad), bytes])
      .toString("base64")
      .slice(pad === 0 ? 0 : 4, -4),
  );
  return [secret, encodeURIComponent(secret), bytes.toString("hex"), ...shifted].map((form) => Buffer.from(form, "utf8"));
}

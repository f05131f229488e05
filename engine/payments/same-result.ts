import type { Transaction } from "./transaction.ts";

/**
 * Says whether two results are the same one: equal after normalization, the time of storing aside, members in any order. The same result
 * again is acknowledged and changes nothing; a different one for the same uuid is a conflict (design.md, promise 4).
 */
export function sameResult(one: Transaction, other: Transaction): boolean {
  return sameValue({ ...one, createdAtMs: 0 }, { ...other, createdAtMs: 0 });
}

/** Deep equality of JSON values; an absent member and an undefined one are the same. Free-form members are bounded in depth by engine/kernel/mask.ts. */
function sameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const left = new Map(Object.entries(one).filter(([, value]) => value !== undefined));
  const right = new Map(Object.entries(other).filter(([, value]) => value !== undefined));
  if (left.size !== right.size) return false;
  for (const [member, value] of left) {
    if (!right.has(member) || !sameValue(value, right.get(member))) return false;
  }
  return true;
}

import { type Static, Type } from "@sinclair/typebox";
import type { MachineTokenRecord } from "../../../../engine/access/machine-token.ts";
import { iso } from "../../../endpoint/time.ts";
import { MachineRightWord } from "../../parts/schemas.ts";
import { LoginName } from "../administrators/administrator.ts";

export const TokenParams = Type.Object({
  name: Type.String({ maxLength: 64, pattern: `^${LoginName}$`, parameterName: "MachineTokenName", description: "Case does not matter." }),
});

/** A machine token as others see it. */
export const MachineToken = Type.Object(
  {
    name: Type.String({ description: "The user name in Basic." }),
    rights: Type.Array(MachineRightWord),
    expired: Type.Boolean(),
    expiresAt: Type.String({ description: "ISO 8601 UTC." }),
    createdAt: Type.String({ description: "ISO 8601 UTC." }),
    createdBy: Type.String({ description: "The owner who made it." }),
  },
  { title: "MachineToken" },
);

export function shown(record: MachineTokenRecord, nowMs: number): Static<typeof MachineToken> {
  const { name, rights, expiresAtMs, createdAtMs, createdBy } = record;
  return {
    ...{ name, rights: [...rights], expired: expiresAtMs <= nowMs, expiresAt: iso(expiresAtMs) },
    ...{ createdAt: iso(createdAtMs), createdBy },
  };
}

export const example: Static<typeof MachineToken> = {
  name: "roll-outs",
  rights: ["read", "apps"],
  expired: false,
  expiresAt: "2026-02-19T04:40:00.000Z",
  createdAt: "2025-11-21T04:40:00.000Z",
  createdBy: "anna",
};

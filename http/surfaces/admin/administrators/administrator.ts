import { type Static, Type } from "@sinclair/typebox";
import {
  ADMINISTRATOR_PASSWORD_LENGTH_MAX,
  ADMINISTRATOR_PASSWORD_LENGTH_MIN,
  type AdministratorRecord,
} from "../../../../engine/access/administrator.ts";
import type { Administrators } from "../../../../engine/access/administrators.ts";
import type { Caller } from "../../../../engine/access/caller.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { WHOLE_CHARACTERS } from "../../../../engine/kernel/well-formed.ts";
import { iso } from "../../../endpoint/time.ts";
import { AdministratorRoleWord } from "../../parts/schemas.ts";

/** What a name in a login is made of. */
export const LoginName = "[A-Za-z0-9._@+-]+";

/** In the message of a response that has a generated password. */
export const SHOWN_ONCE = "The password is not shown again.";

/** The word of the path that means the caller, and so no administrator's name. */
const ME = "me";

export const Username = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: `^(?!${ME}$)${LoginName}$`,
  errorMessage: `must be 1 to 64 letters, digits, dots, underscores, dashes, plus or at signs, and not "${ME}"`,
  description: "Unique among administrators, partners and machine tokens, regardless of case. Logging in, it is written as here.",
});

export { AdministratorRoleWord as Role };

export const Password = Type.String({
  ...WHOLE_CHARACTERS,
  minLength: ADMINISTRATOR_PASSWORD_LENGTH_MIN,
  maxLength: ADMINISTRATOR_PASSWORD_LENGTH_MAX,
  errorMessage: `must be ${ADMINISTRATOR_PASSWORD_LENGTH_MIN} to ${ADMINISTRATOR_PASSWORD_LENGTH_MAX} characters`,
  description: "Write-only.",
});

export const AdministratorParams = Type.Object({
  username: Type.String({
    maxLength: 64,
    pattern: `^${LoginName}$`,
    parameterName: "AdministratorName",
    description: "Case does not matter.",
  }),
});

/** An administrator as others see it. */
export const Administrator = Type.Object(
  {
    username: Type.String(),
    role: AdministratorRoleWord,
    enabled: Type.Boolean({ description: "False: cannot log in." }),
    fromConfiguration: Type.Boolean({
      description: "True for the owner of `RELAY_ADMIN_USERNAME`: changed only there. It has no times.",
    }),
    createdAt: Type.Optional(Type.String({ description: "ISO 8601 UTC." })),
    updatedAt: Type.Optional(Type.String({ description: "ISO 8601 UTC." })),
    passwordChangedAt: Type.Optional(Type.String({ description: "ISO 8601 UTC." })),
  },
  { title: "Administrator" },
);

export function shown(record: AdministratorRecord): Static<typeof Administrator> {
  const { username, role, enabled, createdAtMs, updatedAtMs, passwordChangedAtMs } = record;
  return {
    username,
    role,
    enabled,
    fromConfiguration: false,
    createdAt: iso(createdAtMs),
    updatedAt: iso(updatedAtMs),
    passwordChangedAt: iso(passwordChangedAtMs),
  };
}

export function shownConfigured({ configured }: Administrators): Static<typeof Administrator> {
  return { username: configured, role: "owner", enabled: true, fromConfiguration: true };
}

/** One by name, as others see it; null where there is none. */
export function find(administrators: Administrators, username: string): Static<typeof Administrator> | null {
  if (administrators.isConfigured(username)) return shownConfigured(administrators);
  const record = administrators.byUsername(username);
  return record === null ? null : shown(record);
}

/** The name of the administrator that calls; nobody else comes to these endpoints. */
export function actorOf(caller: Caller): string {
  if (caller.type !== "administrator") throw new RelayError("forbidden", "Only an administrator may do this");
  return caller.username;
}

export const example: Static<typeof Administrator> = {
  username: "anna",
  role: "operator",
  enabled: true,
  fromConfiguration: false,
  createdAt: "2025-11-21T04:40:00.000Z",
  updatedAt: "2025-11-21T04:40:00.000Z",
  passwordChangedAt: "2025-11-21T04:40:00.000Z",
};

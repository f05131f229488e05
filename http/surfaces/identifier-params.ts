import { Type } from "@sinclair/typebox";
import { RESERVED_WORDS } from "../../engine/kernel/identifiers.ts";
import { IDENTIFIER_LENGTH_MAX } from "../../engine/kernel/limits.ts";

const IDENTIFIER = { minLength: 1, maxLength: IDENTIFIER_LENGTH_MAX, pattern: "^[A-Za-z0-9._-]+$" };

export const TerminalId = Type.String({
  ...IDENTIFIER,
  pattern: `^(?!(?:${RESERVED_WORDS.join("|")})$)[A-Za-z0-9._-]+$`,
  errorMessage: "must be 1 to 64 letters, digits, dots, underscores or dashes, and not a word of another path",
  description: "Terminal identifier.",
});

/** A terminal that a body or a query names. */
export const NamedTerminalId = Type.String({ ...TerminalId, errorMessage: "is not a terminal id" });

/** The uuid of a command in the request that sends it, for the document: the engine reads it. */
export const COMMAND_UUID = { ...IDENTIFIER, type: "string", pattern: TerminalId.pattern ?? "" };

/** A path that names a terminal. */
export const TerminalParams = Type.Object({ terminalId: Type.String({ ...TerminalId, parameterName: "TerminalId" }) });

/** A path that names a transaction or command. */
export const UuidParams = Type.Object({
  uuid: Type.String({
    ...IDENTIFIER,
    parameterName: "Uuid",
    description: "Id of the transaction or command. The case of a UUID does not matter.",
  }),
});

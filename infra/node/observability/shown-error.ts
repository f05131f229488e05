const STACK_CHARACTERS_MAX = 8_000;
const MESSAGE_CHARACTERS_MAX = 1_000;

/** An error as the log has it. */
export interface ShownError {
  type: string;
  message: string;
  /** With those of its causes. */
  stack: string;
  code?: string | number;
}

/**
 * What is written of an error that is shown with its stack: of its members only these. Libraries attach what they were given (ioredis the command with its
 * arguments, Node the URL that it could not read), and that may hold a record or a password. Anything but an error is shown by its type alone.
 */
export function shownError(error: unknown): ShownError {
  if (!(error instanceof Error)) return { type: typeof error, message: "", stack: "" };
  const code: unknown = "code" in error ? error.code : undefined;
  return {
    type: error.name,
    message: error.message.slice(0, MESSAGE_CHARACTERS_MAX),
    stack: stackOf(error),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
  };
}

const CAUSES_MAX = 5;

function stackOf(error: Error): string {
  const stacks: string[] = [];
  for (let next: unknown = error; next instanceof Error && stacks.length < CAUSES_MAX; next = next.cause)
    stacks.push(next.stack ?? `${next}`);
  return stacks.join("\ncaused by: ").slice(0, STACK_CHARACTERS_MAX);
}

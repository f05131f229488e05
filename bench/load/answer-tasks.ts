import { once } from "node:events";

/** What a child answers where it could not do a task. */
export interface Failed {
  type: "failed";
  reason: string;
}

/** The life of a child that measures: it gets one task after another from its parent and ends with it. */
export async function answerTasks<Task, Answer>(measure: (task: Task) => Promise<Answer>): Promise<never> {
  process.on("disconnect", () => process.exit(0));
  for (;;) {
    const task: Task = (await once(process, "message"))[0];
    let answer: Answer | Failed;
    try {
      answer = await measure(task);
    } catch (error) {
      answer = { type: "failed", reason: error instanceof Error ? error.message : String(error) };
    }
    process.send?.(answer);
  }
}

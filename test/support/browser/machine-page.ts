import type { Chart, ChartTransition, Named } from "../../../engine/kernel/statechart.ts";

export interface PageText {
  title: string;
  /** Paragraphs in Markdown that precede the diagram. */
  text: string;
  /** How to generate the page again. */
  how: string;
}

interface Arrow {
  from: string;
  to: string;
  label: string;
}

/** The name in the diagram for all states that are not final. */
const ANY = "any";

/**
 * Returns the page of a machine for people: a Mermaid state diagram, which GitHub draws, its states
 * and all its transitions.
 */
export function machinePage(chart: Chart, { title, text, how }: PageText): string {
  const states = chart.states.map(({ name, description }) => [code(name), description]);
  const transitions = chart.states.flatMap(({ name, transitions: own }) =>
    own.map(({ event, guard, actions, target }) => [
      code(name),
      code(event),
      guard === null ? "" : code(named(guard)),
      actions.map((action) => code(named(action))).join(", "),
      target === null ? "" : code(target),
    ]),
  );
  const parts = [
    `# ${title}`,
    `<!-- Generated from the machine. ${how} -->`,
    text,
    ...diagrams(chart),
    table(["state", "what it means"], states),
    "The first of several transitions for one event whose guard holds is taken. Without one, the event changes nothing.",
    table(["state", "event", "guard", "actions", "becomes"], transitions),
  ];
  return `${parts.join("\n\n")}\n`;
}

/**
 * Draws the changes of state. One diagram has the states that may still change, and another one has
 * the ends. A state that is tagged as ended may still end otherwise.
 */
function diagrams({ initial, states }: Chart): string[] {
  const open = states.filter(({ isFinal, tags }) => !isFinal && !tags.includes("ended")).map(({ name }) => name);
  const arrows = states.flatMap(({ name, transitions }) => transitions.flatMap((transition) => arrowOf(name, transition)));
  const within = joined(arrows.filter(({ to }) => open.includes(to)));
  const begins = { from: "[*]", to: initial, label: "" };
  const ends = joined(
    fromAny(
      arrows.filter(({ to }) => !open.includes(to)),
      open,
    ),
  );
  const any = ends.some(({ from }) => from === ANY)
    ? [`  state "any of these" as ${ANY} {`, ...open.map((name) => `    ${name}`), "  }"]
    : [];
  if (ends.length === 0) return [diagram([begins, ...within])];
  return ["While it has not ended:", diagram([begins, ...within]), "How it ends:", diagram(ends, any)];
}

function diagram(arrows: readonly Arrow[], before: readonly string[] = []): string {
  const lines = arrows.map(({ from, to, label }) => `  ${from} --> ${to}${label === "" ? "" : `: ${label}`}`);
  return ["```mermaid", "stateDiagram-v2", ...before, ...lines, "```"].join("\n");
}

/** Replaces arrows that all these states have by one arrow from the group of states. */
function fromAny(arrows: readonly Arrow[], states: readonly string[]): Arrow[] {
  const isShared = ({ from, to, label }: Arrow) =>
    states.includes(from) &&
    states.every((state) => arrows.some((other) => other.from === state && other.to === to && other.label === label));
  const shared = arrows.filter((arrow) => arrow.from === states[0] && isShared(arrow));
  return [...arrows.filter((arrow) => !isShared(arrow)), ...shared.map((arrow) => ({ ...arrow, from: ANY }))];
}

function arrowOf(from: string, { event, guard, target }: ChartTransition): Arrow[] {
  if (target === null || target === from) return [];
  return [{ from, to: target, label: guard === null ? event : `${event} [${named(guard)}]` }];
}

/** Merges arrows between the same two states. */
function joined(arrows: readonly Arrow[]): Arrow[] {
  const byEnds = new Map<string, Arrow>();
  for (const arrow of arrows) {
    const ends = `${arrow.from} ${arrow.to}`;
    const known = byEnds.get(ends);
    byEnds.set(ends, known === undefined ? arrow : { ...known, label: `${known.label}<br>${arrow.label}` });
  }
  return [...byEnds.values()];
}

function named({ name, params }: Named): string {
  if (params === undefined || typeof params === "function") return name;
  const text = JSON.stringify(params);
  return text === "{}" ? name : `${name} ${text}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

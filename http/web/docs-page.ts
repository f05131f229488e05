import { AUDIENCES, type Audience, type DocsFiles } from "./docs-files.ts";

export const DOCS_PATH = "/docs";
export const DOCS_ASSETS_PATH = `${DOCS_PATH}/assets`;

/** Keys that are entered on the page beforehand, by the name of their security scheme: those of a sandbox, which everyone knows. */
export type KnownKeys = Readonly<Record<string, string>>;

/** What each document is called. */
const TITLES: Readonly<Record<Audience, string>> = {
  partner: "Partners",
  terminal: "Terminals",
  merchant: "Merchants",
  compatible: "Compatible API",
  administration: "Administration",
};

interface Step {
  tag: string;
  operation: string;
  says: string;
}

/** What most readers come for: an operation to send, and the one that tells how it went. */
export const TASKS: readonly { title: string; audience: Audience; steps: readonly [Step, Step] }[] = [
  {
    title: "Take a payment on a terminal",
    audience: "partner",
    steps: [
      { tag: "Payments", operation: "sendPayment", says: "send a payment" },
      { tag: "Payments", operation: "findByUuid", says: "get its result" },
    ],
  },
  {
    title: "Let a customer pay a link",
    audience: "partner",
    steps: [
      { tag: "Payment links", operation: "createLink", says: "create a link" },
      { tag: "Payment links", operation: "linkStatus", says: "get its status" },
    ],
  },
  {
    title: "Take a payment in a web shop",
    audience: "compatible",
    steps: [
      { tag: "Compatible API", operation: "compatCreatePaymentIntent", says: "create a payment intent" },
      { tag: "Compatible API", operation: "compatRetrievePaymentIntent", says: "check whether it was paid" },
    ],
  },
];

/** The page: three tasks, the documents, and below them the viewer with one of these. */
export function docsShell(assets: DocsFiles["assets"], keys: KnownKeys | null): string {
  const address = (file: string): string => {
    const name = [...assets.keys()].find((one) => one.replace(/-[0-9a-f]{8}(?=\.)/, "") === file);
    if (name === undefined) throw new Error(`the page has no file ${file}`);
    return `${DOCS_ASSETS_PATH}/${name}`;
  };
  const documents = AUDIENCES.map(
    (audience) => `<a href="${DOCS_PATH}?for=${audience}" data-document="${audience}">${TITLES[audience]}</a>`,
  );
  const tasks = TASKS.map(({ title, audience, steps: [first, second] }) => {
    const step = ({ tag, operation, says }: Step) =>
      `<a href="${DOCS_PATH}?for=${audience}#/${encodeURIComponent(tag)}/${operation}">${says}</a>`;
    return `<li><strong>${title}:</strong> ${step(first)}, then ${step(second)}.</li>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Terminal Relay API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${address("swagger-ui.css")}">
<link rel="stylesheet" href="${address("docs.css")}">
<script defer src="${address("swagger-ui-bundle.js")}"></script>
<script type="module" src="${address("initializer.js")}"></script>
</head>
<body${keys === null ? "" : ` data-keys="${JSON.stringify(keys).replaceAll('"', "&quot;")}"`}>
<header>
<section aria-labelledby="tasks">
<h2 id="tasks">Three tasks to start with</h2>
<ol>
${tasks.join("\n")}
</ol>
<p>${keys === null ? "Enter your key under “Authorize” first." : "The sandbox keys are already entered."} Open an operation, press “Try it out”, then “Execute”.</p>
</section>
<nav aria-label="Documents"><a href="${DOCS_PATH}" data-document="">All</a> ${documents.join(" ")}</nav>
</header>
<main id="docs"></main>
<noscript><p>This page needs JavaScript. The document itself is at <a href="/openapi.json">/openapi.json</a>.</p></noscript>
</body>
</html>
`;
}

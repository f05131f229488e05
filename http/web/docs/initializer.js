// Starts the viewer (Swagger UI) on the document of this relay. Nothing is asked of any other host.

const dark = matchMedia("(prefers-color-scheme: dark)");
const followTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followTheme);
followTheme();

/** All that is known of an operation before it is opened; the viewer's own filter looks at the tag and the path only. */
function textOf(operation, tag) {
  const facts = operation.get("operation");
  const words = [tag, operation.get("method"), operation.get("path"), facts.get("operationId"), facts.get("summary")];
  return words.join(" ").toLowerCase();
}

/** Keeps the operations that have every word of the phrase, and the tags that have such operations. */
function opsFilter(taggedOperations, phrase) {
  const words = phrase.toLowerCase().split(/\s+/);
  return taggedOperations
    .map((inTag, tag) =>
      inTag.update("operations", (operations) =>
        operations.filter((operation) => words.every((word) => textOf(operation, tag).includes(word))),
      ),
    )
    .filter((inTag) => inTag.get("operations").size > 0);
}

/** Tags are folded, but while something is searched for: then what is found is shown. */
const findOperations = (system) => ({
  fn: { opsFilter },
  statePlugins: {
    layout: {
      wrapSelectors: {
        // The original has its state already.
        isShown: (original) => (_state, thing, byDefault) => {
          const filter = system.layoutSelectors.currentFilter();
          const isFound = thing[0] === "operations-tag" && typeof filter === "string" && filter !== "";
          return isFound || original(thing, byDefault);
        },
      },
    },
  },
});

/** A value of the document with what it refers to in the place of the references; one that leads back into itself stays a reference. */
function inline(value, root, inside = []) {
  if (Array.isArray(value)) return value.map((one) => inline(one, root, inside));
  if (typeof value !== "object" || value === null) return value;
  if (typeof value.$ref === "string") {
    const target = value.$ref
      .split("/")
      .slice(1)
      .reduce((within, name) => within?.[name.replaceAll("~1", "/").replaceAll("~0", "~")], root);
    return inside.includes(value.$ref) || target === undefined ? value : inline(target, root, [...inside, value.$ref]);
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inline(member, root, inside)]));
}

/** The viewer's own resolver goes through the whole document again for each operation that is opened, which takes seconds; this one refers to nothing but itself. */
const resolveWithinDocument = () => ({
  fn: {
    resolveSubtree: async (root, path) => ({
      spec: inline(
        path.reduce((within, name) => within?.[name], root),
        root,
      ),
      errors: [],
    }),
  },
});

const { SwaggerUIBundle } = globalThis;
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#docs",
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [findOperations, resolveWithinDocument],
  layout: "BaseLayout",
  deepLinking: true,
  filter: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});

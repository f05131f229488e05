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

/** As `crypto.randomUUID`, which pages have over https and on this machine only. */
function randomUuid() {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const variant = "89ab"[Number.parseInt(hex[16], 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g;

/** The document's own uuids are the same for everyone, and the relay refuses those it knows. Each becomes one that nobody has; two that were equal stay equal. */
function withFreshUuids(text) {
  const fresh = new Map();
  return text.replace(UUID, (uuid) => {
    if (!fresh.has(uuid)) fresh.set(uuid, randomUuid());
    return fresh.get(uuid);
  });
}

/** Stands for the uuid of the next command in the examples of commands. */
const NEXT_UUID = randomUuid();
let nextUuid = randomUuid();

const isCommand = ({ tags }) => tags.includes("Payments");

/** A command has a uuid of its own; what other bodies and paths name is the first command of this page. */
function prepared(text) {
  const spec = JSON.parse(withFreshUuids(text));
  for (const operation of Object.values(spec.paths).flatMap((operations) => Object.values(operations))) {
    const { example } = operation.requestBody?.content["application/json"] ?? {};
    if (!isCommand(operation) || example?.uuid === undefined) continue;
    nextUuid = example.uuid;
    example.uuid = NEXT_UUID;
  }
  return spec;
}

/** A command that was sent has used its uuid: the next "Execute", and an example from then on, have another one. */
const renewUuids = () => ({
  fn: {},
  afterLoad({ fn: { getSampleSchema } }) {
    this.fn.getSampleSchema = (...given) => {
      const sample = getSampleSchema(...given);
      return typeof sample === "string" ? sample.replaceAll(NEXT_UUID, nextUuid) : sample;
    };
  },
  statePlugins: {
    spec: {
      wrapActions: {
        executeRequest: (original, system) => async (request) => {
          const answer = await original(request);
          const { pathName, method, operation } = request;
          const body = system.oas3Selectors.requestBodyValue(pathName, method);
          if (isCommand(operation.toJS()) && typeof body === "string") {
            nextUuid = randomUuid();
            const value = body.replace(/("uuid"\s*:\s*")[^"]*(")/, (_, before, after) => before + nextUuid + after);
            system.oas3Actions.setRequestBodyValue({ value, pathMethod: [pathName, method] });
          }
          return answer;
        },
      },
    },
  },
});

const chosen = new URLSearchParams(location.search).get("for") ?? "";
const links = [...document.querySelectorAll("[data-document]")];
const link = links.find((one) => one.dataset.document === chosen) ?? links[0];
link.setAttribute("aria-current", "page");
const name = link.dataset.document;

const answer = await fetch(name === "" ? "/openapi.json" : `/openapi/${name}.json`);
const { SwaggerUIBundle } = globalThis;
const viewer = SwaggerUIBundle({
  spec: prepared(await answer.text()),
  dom_id: "#docs",
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [findOperations, resolveWithinDocument, renewUuids],
  layout: "BaseLayout",
  deepLinking: true,
  filter: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  onComplete: () => {
    const keys = JSON.parse(document.body.dataset.keys ?? "{}");
    for (const [scheme, key] of Object.entries(keys)) viewer.preauthorizeApiKey(scheme, key);
  },
});

// A link of this page to another operation of the same document; the viewer reads its address only at the start.
addEventListener("hashchange", () => viewer.layoutActions.parseDeepLinkHash(location.hash));

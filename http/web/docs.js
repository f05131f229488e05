// Renders /openapi.json. Everything from the document goes into the page as text, never as markup.
const doc = await openApi().catch((error) => {
  document.querySelector("#main").textContent = `The interface description could not be loaded: ${error.message}`;
  throw error;
});

async function openApi() {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`/openapi.json was answered with ${response.status}`);
  return await response.json();
}

function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** A description: what stands between backticks is code. */
function prose(text) {
  return (text ?? "").split("`").map((part, index) => (index % 2 === 1 ? element("code", {}, part) : part));
}

function resolve(schema) {
  const name = schema?.$ref?.split("/").pop();
  return name ? { ...doc.components.schemas[name], $name: name } : (schema ?? {});
}

/** What a reader calls the values of a schema; content without one is bytes. */
function typeOf(schema) {
  if (!schema) return "bytes";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf) return oneOf(schema.anyOf.map(typeOf));
  if (schema.enum) return oneOf(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (Array.isArray(schema.type)) return oneOf(schema.type.map((type) => typeOf({ ...schema, type })));
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.contentMediaType) return "file";
  const [value] = Object.values(schema.patternProperties ?? {});
  return value && !schema.properties ? `map of ${typeOf(value)}` : (schema.type ?? "anything");
}

function oneOf(types) {
  return [...new Set(types)].join(" | ");
}

function rulesOf(schema) {
  const rules = [];
  if (schema.minimum !== undefined) rules.push(`at least ${schema.minimum}`);
  if (schema.maximum !== undefined && schema.maximum !== Number.MAX_SAFE_INTEGER) rules.push(`at most ${schema.maximum}`);
  if (schema.minLength !== undefined) rules.push(`${schema.minLength} characters or more`);
  if (schema.maxLength !== undefined) rules.push(`${schema.maxLength} characters at most`);
  if (schema.pattern) rules.push(schema.pattern);
  if (schema.default !== undefined) rules.push(`default ${JSON.stringify(schema.default)}`);
  return rules.join(", ");
}

function row(name, schema, required, description) {
  const rules = rulesOf(schema);
  return element(
    "tr",
    {},
    element("td", {}, element("code", {}, name), required ? null : element("span", { class: "soft" }, " optional")),
    element("td", {}, element("code", {}, typeOf(schema))),
    element("td", {}, ...prose(description), rules === "" ? null : element("div", { class: "soft" }, rules)),
  );
}

function table(rows) {
  return element(
    "table",
    {},
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        ["Member", "Type", ""].map((head) => element("th", {}, head)),
      ),
    ),
    element("tbody", {}, rows),
  );
}

/** The objects that a value may be, or that it is a list of. */
function objectsOf(schema) {
  const resolved = resolve(schema);
  if (resolved.properties) return [resolved];
  if (resolved.type === "array") return objectsOf(resolved.items);
  return (resolved.anyOf ?? []).flatMap(objectsOf);
}

function isList(schema) {
  const resolved = resolve(schema);
  return resolved.type === "array" || (resolved.anyOf ?? []).some(isList);
}

/** Members, with those of inner objects under dotted names. */
function memberRows(object, prefix = "", depth = 0) {
  if (depth > 3) return [];
  return Object.entries(object.properties).flatMap(([name, member]) => {
    const path = `${prefix}${name}${isList(member) ? "[]" : ""}`;
    const [inner] = objectsOf(member);
    return [
      row(path, member, object.required?.includes(name), resolve(member).description),
      ...(inner ? memberRows(inner, `${path}.`, depth + 1) : []),
    ];
  });
}

function schemaBlock(schema) {
  const objects = objectsOf(schema).filter(({ properties }) => Object.keys(properties).length > 0);
  const prefix = isList(schema) ? "[]." : "";
  if (objects.length === 0) return element("p", { class: "soft" }, typeOf(schema));
  if (objects.length === 1) return table(memberRows(objects[0], prefix));
  return objects.flatMap((object) => [
    element("p", { class: "soft" }, "One of: ", ...prose(object.title ?? object.description)),
    table(memberRows(object, prefix)),
  ]);
}

function example(value) {
  return value === undefined ? null : element("pre", {}, typeof value === "string" ? value : JSON.stringify(value, null, 2));
}

function answerBlock(status, answer) {
  const [contentType, content] = Object.entries(answer.content ?? {})[0] ?? [];
  return element(
    "details",
    status.startsWith("2") ? { open: "" } : {},
    element("summary", {}, element("code", {}, status), " ", ...prose(answer.description)),
    content ? element("p", { class: "soft" }, contentType) : null,
    content ? example(content.example) : null,
    content ? schemaBlock(content.schema) : null,
  );
}

const CREDENTIALS = {
  basic: "Basic",
  apiKey: "API-Key",
  administrator: "Basic of an administrator",
  partnerApi: "Bearer of Partner API v1",
  signature: "Signature",
};

function authText(security) {
  return security.length === 0
    ? "No credentials"
    : oneOf(security.flatMap(Object.keys).map((name) => CREDENTIALS[name] ?? name)).replaceAll("|", "or");
}

function credentialsTable() {
  const schemes = Object.entries(doc.components.securitySchemes);
  const rows = schemes.map(([name, { description }]) =>
    element("tr", {}, element("td", { class: "name" }, CREDENTIALS[name] ?? name), element("td", {}, ...prose(description))),
  );
  return element("table", {}, element("tbody", {}, rows));
}

function operationSection(path, method, operation) {
  const [contentType, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  return element(
    "section",
    { id: operation.operationId },
    element("h3", {}, operation.summary),
    element("p", { class: "route" }, element("span", { class: `method ${method}` }, method.toUpperCase()), path),
    operation.deprecated ? element("p", { class: "deprecated" }, "Deprecated") : null,
    operation.description ? element("p", {}, ...prose(operation.description)) : null,
    element("p", { class: "soft" }, authText(operation.security)),
    operation.parameters ? element("h4", {}, "Parameters") : null,
    operation.parameters ? table(operation.parameters.map((p) => row(`${p.name} (${p.in})`, p.schema, p.required, p.description))) : null,
    body ? element("h4", {}, `Body${operation.requestBody.required ? "" : " (optional)"}`) : null,
    body ? element("p", { class: "soft" }, contentType) : null,
    body ? example(body.example) : null,
    body ? schemaBlock(body.schema) : null,
    element("h4", {}, "Answers"),
    Object.entries(operation.responses).map(([status, answer]) => answerBlock(status, answer)),
  );
}

const operations = Object.entries(doc.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation, tag: operation.tags[0] ?? "" })),
);
const sizeOf = (tag) => operations.filter((operation) => operation.tag === tag).length;
const isAdministrative = (tag) =>
  operations.filter((one) => one.tag === tag && one.operation.security.some(({ administrator }) => administrator)).length * 2 > sizeOf(tag);
// What most callers look for first: what terminals and partners use, in the order of the document, and administration after it.
const tags = doc.tags.map(({ name }) => name).sort((one, other) => Number(isAdministrative(one)) - Number(isAdministrative(other)));
const sections = [];
const links = [];
for (const tag of tags) {
  const heading = element("h2", {}, tag);
  const inTag = operations.filter((candidate) => candidate.tag === tag);
  links.push(heading);
  for (const { path, method, operation } of inTag) {
    const link = element(
      "a",
      { href: `#${operation.operationId}`, title: path },
      element("span", { class: `method ${method}` }, method.toUpperCase()),
      operation.summary,
    );
    link.dataset.text = `${method} ${path} ${operation.summary}`.toLowerCase();
    links.push(link);
    sections.push(operationSection(path, method, operation));
  }
}

document.title = `${doc.info.title}: interface`;
document.querySelector("#contents").replaceChildren(...links);
document
  .querySelector("#main")
  .replaceChildren(
    element("h1", {}, doc.info.title),
    element("p", { class: "soft" }, `Version ${doc.info.version}, `, element("a", { href: "/openapi.json" }, "OpenAPI document")),
    element("p", {}, ...prose(doc.info.description)),
    element("h2", {}, "Credentials"),
    credentialsTable(),
    ...sections,
  );
document.querySelector("#filter").addEventListener("input", (event) => {
  const words = event.target.value.toLowerCase().split(/\s+/);
  for (const link of links) if (link.dataset.text) link.hidden = !words.every((word) => link.dataset.text.includes(word));
});
document.getElementById(location.hash.slice(1))?.scrollIntoView();

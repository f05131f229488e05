import type { Method } from "./endpoint.ts";

/** What a router needs to know of a route. */
export interface Route {
  readonly method: Method;
  readonly path: string;
}

export interface Match<R extends Route> {
  route: R;
  /** Names from the route's template with what stood in their place, still percent-encoded. */
  params: Map<string, string>;
}

interface Node<R extends Route> {
  words: Map<string, Node<R>>;
  parameter: Node<R> | null;
  routes: Map<Method, Leaf<R>>;
}

interface Leaf<R extends Route> {
  route: R;
  names: string[];
}

/**
 * Finds the route of a path: segment by segment, a word before a parameter, whatever the order of declaration. Where the word leads
 * nowhere the parameter is tried.
 */
export class Router<R extends Route> {
  readonly #root: Node<R> = emptyNode();

  /** Throws for a template that is already there or not well-formed. */
  add(route: R, path: string = route.path): void {
    const names: string[] = [];
    let node = this.#root;
    for (const segment of segmentsOf(path)) {
      const name = /^\{([A-Za-z][A-Za-z0-9]*)\}$/.exec(segment)?.[1];
      if (name === undefined && !/^[A-Za-z0-9._-]+$/.test(segment)) throw new Error(`path ${path}: bad segment "${segment}"`);
      node = name === undefined ? child(node, segment) : parameterOf(node);
      if (name !== undefined) names.push(name);
    }
    if (node.routes.has(route.method)) throw new Error(`${route.method} ${path} is declared twice`);
    node.routes.set(route.method, { route, names });
  }

  /** The route and its raw parameters, or null. */
  match(method: Method, path: string): Match<R> | null {
    const values: string[] = [];
    const leaf = find(this.#root, path, 1, values, (node) => node.routes.get(method));
    if (leaf === undefined) return null;
    const params = new Map<string, string>();
    for (let i = 0; i < leaf.names.length; i++) params.set(leaf.names[i] ?? "", values[i] ?? "");
    return { route: leaf.route, params };
  }

  /** All routes that the path would have with another method, sorted by method; empty when there is nothing at the path. */
  others(path: string): R[] {
    const found = new Map<Method, R>();
    find(this.#root, path, 1, [], (node) => {
      for (const [method, leaf] of node.routes) found.set(method, leaf.route);
      return undefined;
    });
    return [...found.values()].sort((a, b) => (a.method < b.method ? -1 : 1));
  }
}

/** Walks the path from `start`, words first; the first node at its end for which `pick` answers something wins. */
function find<R extends Route, T>(
  node: Node<R>,
  path: string,
  start: number,
  values: string[],
  pick: (node: Node<R>) => T | undefined,
): T | undefined {
  if (start > path.length) return pick(node);
  const slash = path.indexOf("/", start);
  const end = slash === -1 ? path.length : slash;
  const segment = path.slice(start, end);
  const word = node.words.get(segment);
  if (word !== undefined) {
    const found = find(word, path, end + 1, values, pick);
    if (found !== undefined) return found;
  }
  if (node.parameter === null || segment === "") return undefined;
  values.push(segment);
  const found = find(node.parameter, path, end + 1, values, pick);
  if (found === undefined) values.pop();
  return found;
}

function segmentsOf(path: string): string[] {
  if (!path.startsWith("/") || path === "/") throw new Error(`path ${path}: has to begin with / and to name something`);
  return path.slice(1).split("/");
}

function emptyNode<R extends Route>(): Node<R> {
  return { words: new Map(), parameter: null, routes: new Map() };
}

function child<R extends Route>(node: Node<R>, word: string): Node<R> {
  const existing = node.words.get(word);
  if (existing !== undefined) return existing;
  const created = emptyNode<R>();
  node.words.set(word, created);
  return created;
}

function parameterOf<R extends Route>(node: Node<R>): Node<R> {
  node.parameter ??= emptyNode<R>();
  return node.parameter;
}

import type { Method } from "./endpoint.ts";

/** The members of a route that the router reads. */
export interface Route {
  readonly method: Method;
  readonly path: string;
}

export interface Match<R extends Route> {
  readonly route: R;
  /** The values of the template's parameters in its order, still percent-encoded. */
  readonly values: readonly string[];
}

interface Node<R extends Route> {
  readonly words: Map<string, Node<R>>;
  parameter: Node<R> | null;
  route: R | null;
}

/**
 * Finds the route of a path, segment by segment. A word takes precedence over a parameter, whatever
 * the order of declaration. If the word leads to no route, the parameter is tried.
 */
export class Router<R extends Route> {
  readonly #trees = new Map<Method, Node<R>>();

  /**
   * Adds a route, at its own path or at another one with the same parameters, which may end with a
   * slash. Throws if the path exists already or is not well-formed.
   */
  add(route: R, path: string = route.path): void {
    let node = this.#trees.get(route.method);
    if (node === undefined) {
      node = emptyNode();
      this.#trees.set(route.method, node);
    }
    const segments = segmentsOf(path);
    for (const [index, segment] of segments.entries()) {
      if (segment === "" && index < segments.length - 1) throw new Error(`path ${path}: has an empty segment`);
      node = child(node, segment);
    }
    if (node.route !== null) throw new Error(`${route.method} ${path} is declared twice`);
    node.route = route;
  }

  match(method: Method, path: string): Match<R> | null {
    const tree = this.#trees.get(method);
    if (tree === undefined) return null;
    const values: string[] = [];
    const route = find(tree, path, 1, values);
    return route === null ? null : { route, values };
  }

  /**
   * Returns the routes of the path with any method, sorted by method; empty for an unknown path.
   */
  others(path: string): R[] {
    const routes = [...this.#trees.values()].map((tree) => find(tree, path, 1, []));
    return routes.filter((route) => route !== null).sort((a, b) => (a.method < b.method ? -1 : 1));
  }
}

/** Returns the names of a template's parameters in order. */
export function parameterNames(path: string): string[] {
  return segmentsOf(path).flatMap((segment) => parameterName(segment) ?? []);
}

function find<R extends Route>(node: Node<R>, path: string, start: number, values: string[]): R | null {
  if (start > path.length) return node.route;
  const slash = path.indexOf("/", start);
  const end = slash === -1 ? path.length : slash;
  const segment = path.slice(start, end);
  const word = node.words.get(segment);
  if (word !== undefined) {
    const route = find(word, path, end + 1, values);
    if (route !== null) return route;
  }
  if (node.parameter === null || segment === "") return null;
  values.push(segment);
  const route = find(node.parameter, path, end + 1, values);
  if (route === null) values.pop();
  return route;
}

function child<R extends Route>(node: Node<R>, segment: string): Node<R> {
  if (parameterName(segment) !== null) {
    node.parameter ??= emptyNode<R>();
    return node.parameter;
  }
  if (!/^[A-Za-z0-9._-]*$/.test(segment)) throw new Error(`a path cannot have the segment "${segment}"`);
  const existing = node.words.get(segment);
  if (existing !== undefined) return existing;
  const created = emptyNode<R>();
  node.words.set(segment, created);
  return created;
}

function parameterName(segment: string): string | null {
  return /^\{([A-Za-z][A-Za-z0-9]*)\}$/.exec(segment)?.[1] ?? null;
}

function segmentsOf(path: string): string[] {
  if (!path.startsWith("/")) throw new Error(`path ${path}: has to begin with /`);
  return path.slice(1).split("/");
}

function emptyNode<R extends Route>(): Node<R> {
  return { words: new Map(), parameter: null, route: null };
}

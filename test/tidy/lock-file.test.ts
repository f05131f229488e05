import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

/**
 * Named by chdb for other machines, and not in the registry: there is nothing to install and no checksum. npm refuses a lock file without
 * them.
 */
const NOT_PUBLISHED = ["@chdb/lib-darwin-arm64", "@chdb/lib-darwin-x64", "@chdb/lib-linux-arm64-gnu"];

/** Packages of this repository, which stand in for one of the registry. */
const OWN: ReadonlySet<string> = new Set(["infra/no-telemetry", "node_modules/@scarf/scarf"]);

interface LockedPackage {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
}

const { packages }: { packages: { [path: string]: LockedPackage } } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const locked = Object.entries(packages).filter(([path]) => path !== "" && !OWN.has(path));

test("a package that stands in for another is a folder of this repository", () => {
  const { link, resolved } = packages["node_modules/@scarf/scarf"] ?? {};
  assert.deepEqual([link, resolved], [true, "infra/no-telemetry"]);
});

test("npm checks every package that it installs against a checksum of the lock file", () => {
  const unchecked = locked.filter(([, { integrity }]) => integrity === undefined || !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity));
  assert.deepEqual(
    unchecked.map(([path]) => path),
    NOT_PUBLISHED.map((name) => `node_modules/${name}`),
    'ask the registry ("npm view NAME@VERSION dist.integrity") for what is missing, and write it beside the version',
  );
});

for (const folder of ["bench", "bench/peers/fastify"]) {
  test(`npm checks the packages of ${folder} against checksums`, () => {
    const lock: { packages: { [path: string]: LockedPackage } } = JSON.parse(readFileSync(`${folder}/package-lock.json`, "utf8"));
    const unchecked = Object.entries(lock.packages).filter(([path, { integrity = "" }]) => path !== "" && !/^sha512-/.test(integrity));
    assert.deepEqual(unchecked, []);
  });
}

test("every package comes from the registry, and has one version", () => {
  for (const [path, { version, resolved }] of locked) {
    assert.match(version ?? "", /^\d+\.\d+\.\d+/, path);
    assert.ok(resolved === undefined || resolved.startsWith("https://registry.npmjs.org/"), `${path}: ${resolved}`);
  }
});

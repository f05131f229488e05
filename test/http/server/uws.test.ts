import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadUws, UWS_LIBRARIES, type Uws } from "../../../http/server/uws.ts";

type Older = Pick<typeof import("uWebSockets.js-older"), "App" | "SSLApp" | "us_listen_socket_close" | "us_socket_local_port">;
type Newer = Pick<Uws, keyof Older>;

/** Does not compile where the older library's functions cannot stand for the newer one's, whose types the server is written with. */
export const OLDER_STANDS_FOR_NEWER: (older: Older) => Newer = (older) => older;

test("the newest library that loads here is taken, and says why where that is the older one", async () => {
  const chosen = await loadUws("newest");
  const loads = await Promise.all(
    UWS_LIBRARIES.map((library) =>
      loadUws(library).then(
        () => library,
        () => null,
      ),
    ),
  );
  assert.equal(
    chosen.library,
    loads.find((library) => library !== null),
  );
  if (chosen.library === "newer") assert.deepEqual([chosen.instead, chosen.lacks], [null, []]);
  else assert.match(chosen.instead ?? "", /^(?!.*GLIBC_).+$/, "one line for people");
});

test("a library that cannot be loaded here is told in one line, with the reason", async () => {
  const loads = await Promise.allSettled(UWS_LIBRARIES.map((library) => loadUws(library)));
  for (const [index, load] of loads.entries()) {
    if (load.status === "fulfilled") continue;
    assert.match(
      String(load.reason),
      new RegExp(`^UwsMissing: RELAY_HTTP_LIBRARY: .+ cannot be loaded by Node ${process.version} [^\n]+$`),
      UWS_LIBRARIES[index],
    );
  }
});

test("both libraries are pinned, with the digest of what is installed", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  for (const name of ["uWebSockets.js", "uWebSockets.js-older"]) {
    const { version, integrity } = packages[`node_modules/${name}`];
    assert.match(packages[""].dependencies[name], new RegExp(`^npm:.+@${version.replaceAll(".", "\\.")}$`));
    assert.match(integrity, /^sha512-/);
  }
});

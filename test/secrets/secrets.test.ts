import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openApiText, surfacesOf } from "../../infra/node/wiring/shared/endpoints.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "../fault/node-process.ts";
import { type Answer, HttpClient } from "../support/http/http-client.ts";
import { listOf, member } from "../support/http/matches.ts";
import { basic } from "../support/node/node.ts";
import { formsOf } from "./forms-of.ts";
import { textAt, WAYS_IN, type Written } from "./written.ts";

/** A secret by the way that it came in. */
interface Known {
  secret: string;
  about: string;
  /** Answers that may have it: the one that showed it, and those to the same request again. */
  shownIn: Answer[];
}

test("no secret that was written in by any endpoint is found in the data directory, the logs, the answers or the metrics", {
  timeout: 240_000,
}, async (context) => {
  const place = await placeOf(context);
  const node = startNodeProcess(context, { ...place, environment: { ...NO_CLICKHOUSE, RELAY_LOG_LEVEL: "trace" } });
  await node.ready();

  const [known, answers, names]: [Known[], { about: string; answer: Answer }[], string[]] = [[], [], []];
  let callers = 0;
  let about = "";
  const written: Written = {
    caller: (headers) => {
      callers += 1;
      const client = new HttpClient(() => node.url, headers, `127.8.${callers >> 8}.${callers & 255}`);
      const send = client.send.bind(client);
      client.send = async (path, request) => {
        const answer = await send(path, request);
        answers.push({ about: `${about}: ${request?.method ?? "GET"} ${path.split("?")[0]}`, answer });
        return answer;
      };
      return client;
    },
    secret: () => {
      const secret = `s3cret${randomBytes(12).toString("hex")}`;
      known.push({ secret, about, shownIn: [] });
      return secret;
    },
    name: () => {
      const name = `n${randomBytes(10).toString("hex")}`;
      names.push(name);
      return name;
    },
    shownOnce: (answer, ...path) => {
      const secret = textAt(answer, path);
      known.push({ secret, about: `${about}, ${path.join(".")}`, shownIn: [answer] });
      return secret;
    },
    shownAgain: (answer, ...path) => {
      const secret = textAt(answer, path);
      const shown = known.find((one) => one.secret === secret) ?? assert.fail(`${about}: ${path.join(".")} is another one`);
      shown.shownIn.push(answer);
    },
    recoveryCodes: (answer) => {
      for (const code of listOf(member(answer.body, "data", "recoveryCodes")).map(String)) {
        for (const secret of [code, code.replaceAll("-", "")])
          known.push({ secret, about: `${about}, a recovery code`, shownIn: [answer] });
      }
    },
    cookie: (answer) => {
      const cookie = answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
      const secret = cookie.slice(cookie.indexOf("=") + 1);
      if (secret !== "") known.push({ secret, about: `${about}, the cookie`, shownIn: [answer] });
      return cookie;
    },
  };
  for (const way of WAYS_IN) {
    about = way.about;
    await way.write(written);
  }
  // The shortest are recovery codes, of 59 random bits: none of them is found by chance.
  assert.ok(known.length >= 150 && known.every(({ secret }) => secret.length >= 12), `only ${known.length} secrets were written`);

  // Whatever can be read without naming anything.
  about = "afterwards";
  const readers = [written.caller({ authorization: basic("admin", "admin") }), written.caller({ authorization: basic("demo", "demo") })];
  const paths = Object.entries(
    member(JSON.parse(openApiText(surfacesOf({ openTerminalLogs: true, packageBytesMax: 1 }))), "paths") as object,
  );
  const readable = paths.filter(([path, operations]) => !path.includes("{") && Object.hasOwn(operations, "get")).map(([path]) => path);
  assert.ok(
    readable.includes("/metrics") && readable.includes("/admin/audit") && readable.includes("/admin/api/partners"),
    readable.join(" "),
  );
  for (const reader of readers) for (const path of readable) await reader.get(path);
  await readers[0]?.get("/admin/audit?limit=500");
  for (const { secret, about: way, shownIn } of known) {
    const told = answers.filter(
      ({ answer }) => !shownIn.includes(answer) && (answer.text.includes(secret) || JSON.stringify(answer.headers).includes(secret)),
    );
    assert.deepEqual(
      told.map((one) => one.about),
      [],
      `a secret of ${way} was answered`,
    );
  }

  // A stop writes what is left; then nothing changes any more.
  node.signal("SIGTERM");
  assert.deepEqual(await node.exited, { code: 0, signal: null }, node.output());
  const places: { place: string; bytes: Buffer }[] = [{ place: "the logs", bytes: Buffer.from(node.output(), "utf8") }];
  for (const file of await readdir(place.dataDirectory, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) places.push({ place: file.name, bytes: await readFile(join(file.parentPath, file.name)) });
  }
  for (const { secret, about: way } of known) {
    const forms = formsOf(secret);
    const found = places.filter(({ bytes }) => forms.some((form) => bytes.includes(form)));
    assert.deepEqual(
      found.map(({ place: name }) => name),
      [],
      `a secret of ${way} was kept`,
    );
  }
  // The search itself: what is no secret is found in the same files, and the log has something to say.
  const [first = ""] = names;
  assert.ok(
    places.some(({ bytes }) => bytes.includes(first)),
    "names were looked for in the wrong place",
  );
  assert.match(node.output(), /listening/);
});

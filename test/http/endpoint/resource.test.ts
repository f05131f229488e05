import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../engine/access/caller.ts";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { resourceOf, webhookObject } from "../../../http/endpoint/resource.ts";
import { oneOf } from "../../../http/surfaces/merchant/resource-endpoints.ts";
import { merchantSurface } from "../../../http/surfaces/merchant/surface.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { peopleOf, sharedOperations } from "../surfaces/merchant/dispute-people.ts";

const NOW_MS = Date.parse("2026-11-26T10:00:00.000Z");

interface Note {
  readonly id: string;
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly text: string;
  readonly writtenAtMs: number;
  readonly readAtMs: number | null;
  readonly authors: readonly { readonly name: string; readonly role: string }[];
}

const NOTE: Note = {
  ...{ id: "n_1", merchantId: "SHOP-001", livemode: false, text: "To Ada", writtenAtMs: NOW_MS, readAtMs: null },
  authors: [{ name: "Ada", role: "owner" }],
};

const a = resourceOf<Note["authors"][number]>();
const authorMembers = { name: a.text().personal(() => "***"), role: a.text() };
const author = a.resource({ members: authorMembers, views: { webhook: [["role"]] } });

const m = resourceOf<Note>();
const members = {
  id: m.text(),
  text: m.text().personal((text) => `${text.length} characters`),
  writtenAt: m.time("when it was written."),
  readAt: m.time("when it was read.").orNull(),
  authors: m.list(author, "The authors."),
  caller: m.text().from((_, { caller }) => caller.type),
  secret: m
    .text()
    .orAbsent()
    .from(({ text }) => (text === "" ? undefined : text)),
};

function caller(kind: "secret" | "publishable"): Caller {
  const merchant = { merchantId: "SHOP-001", partnerId: 1, livemode: false, kind, keyId: "", requestsPerMinute: 1, services: [] };
  return { type: "merchantKey", merchant };
}

const note = m.resource({
  title: "Note",
  itemTitle: "NoteItem",
  members,
  views: {
    full: [
      ["authors", "id"],
      ["readAt", "writtenAt", "text"],
    ],
    item: [["text", "id"]],
    webhook: [["writtenAt", "authors"]],
  },
  example: { record: NOTE, context: { caller: caller("secret") } },
});

describe("a resource", () => {
  it("has the members of each view in the order of the view, in the schema and in the JSON", () => {
    const context = { caller: caller("secret") };
    assert.deepEqual(Object.keys(note.schema.properties), ["authors", "id", "readAt", "writtenAt", "text"]);
    assert.deepEqual(Object.keys(note.json(NOTE, context)), ["authors", "id", "readAt", "writtenAt", "text"]);
    assert.equal(JSON.stringify(note.item.json(NOTE, context)), '{"text":"To Ada","id":"n_1"}');
    assert.deepEqual(
      [note.schema.title, note.item.schema.title, Object.keys(note.item.schema.properties)],
      ["Note", "NoteItem", ["text", "id"]],
    );
  });

  it("leaves out a member whose value is undefined", () => {
    const { schema, json } = m.resource({ members: { id: members.id, secret: members.secret } });
    const context = { caller: caller("secret") };
    assert.deepEqual(schema.required, ["id"]);
    assert.equal(JSON.stringify(json(NOTE, context)), '{"id":"n_1","secret":"To Ada"}');
    assert.equal(JSON.stringify(json({ ...NOTE, text: "" }, context)), '{"id":"n_1"}');
  });

  it("makes its examples from the example record", () => {
    assert.deepEqual(note.example, {
      ...{ id: "n_1", text: "To Ada", writtenAt: "2026-11-26T10:00:00.000Z", readAt: null, authors: [{ name: "Ada", role: "owner" }] },
    });
    assert.deepEqual(note.item.example, { text: "To Ada", id: "n_1" });
  });

  it("masks personal members, nested ones too, for callers that may not see the data of people", () => {
    const context = { caller: caller("publishable") };
    assertMatches(note.json(NOTE, context), { text: "6 characters", authors: [{ name: "***", role: "owner" }] });
    assert.doesNotMatch(JSON.stringify([note.json(NOTE, context), note.item.json(NOTE, context)]), /Ada/);
  });

  it("writes webhook objects with the webhook views of nested resources", () => {
    assert.deepEqual(webhookObject("note", note, NOTE), {
      ...{ id: "n_1", object: "note", environment: "TEST", writtenAt: "2026-11-26T10:00:00.000Z", authors: [{ role: "owner" }] },
    });
  });

  it("refuses webhook views with personal members, members that depend on the request, and nested resources without such a view", () => {
    const withWebhook = (webhook: keyof typeof members) => () => m.resource({ title: "Note", members, views: { webhook: [[webhook]] } });
    assert.throws(withWebhook("text"), /Note: webhooks must not contain text: it is personal/);
    assert.throws(withWebhook("caller"), /it depends on the request/);
    const nested = m.list(a.resource({ members: authorMembers }));
    assert.throws(() => m.resource({ members: { authors: nested }, views: { webhook: [["authors"]] } }), /it has no view for webhooks/);
    const hidden = m.list(author).personal(() => []);
    assert.throws(() => m.resource({ members: { authors: hidden }, views: { webhook: [["authors"]] } }), /it is personal/);
    assert.throws(() => a.resource({ members: authorMembers, views: { webhook: [["name"]] } }), /it is personal/);
  });
});

describe("the endpoints of a resource", () => {
  type Operations = { find(merchantId: string, id: string): Note | null };
  const one = oneOf(merchantSurface<Operations>(), {
    ...{ noun: "note", path: "/notes", idParameter: { parameterName: "NoteId", description: "`n_...`" }, resource: note },
    find: async ({ find }, { merchantId }, id) => find(merchantId, id),
    context: (_, by) => ({ caller: by }),
  });
  const endpoints = [
    one.show({ name: "showNote", summary: "Get a note", description: "One." }),
    one.action({
      ...{ name: "eraseNote", method: "POST", path: "/erase", summary: "Erase a note", description: "Its text.", may: "operate" },
      ...{ noStepUp: "It is a test.", body: Type.Object({ text: Type.String() }), audit: { action: "note.erase" } },
      ...{ done: { description: "Erased.", changes: { text: "" } }, conflict: "Never." },
      run: async ({ find }, { merchantId }, { params, body }) => {
        const found = find(merchantId, params.id);
        return found === null ? null : { done: { ...found, text: body.text } };
      },
    }),
  ];

  it("answers not_found for a record that does not exist and for another merchant's", async (t) => {
    const notes = [NOTE, { ...NOTE, id: "n_2", merchantId: "SHOP-002" }];
    const find = (merchantId: string, id: string) => notes.find((one) => one.merchantId === merchantId && one.id === id) ?? null;
    const send = await peopleOf(t, bind(endpoints, { ...sharedOperations(NOW_MS), find }), NOW_MS);
    assertMatches(await send("key", "GET", "/notes/n_1"), { status: 200, body: { data: { id: "n_1", text: "To Ada" } } });
    assertMatches(await send("VIEWER", "GET", "/notes/n_1"), { status: 200, body: { data: { id: "n_1", text: "6 characters" } } });
    assertMatches(await send("key", "POST", "/notes/n_1/erase", { text: "" }), { status: 200, body: { data: { text: "" } } });
    for (const id of ["n_2", "n_3"]) {
      for (const answer of [await send("key", "GET", `/notes/${id}`), await send("key", "POST", `/notes/${id}/erase`, { text: "" })]) {
        assertMatches(answer, { status: 404, body: { code: "not_found", error: "There is no such note" } });
      }
    }
    assertMatches(await send("VIEWER", "POST", "/notes/n_1/erase", { text: "" }), { status: 403, body: { code: "role" } });
  });
});

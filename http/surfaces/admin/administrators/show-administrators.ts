import { Type } from "@sinclair/typebox";
import { unknownAdministrator } from "../../../../engine/access/administer-administrators.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { admin } from "../surface.ts";
import { Administrator, AdministratorParams, actorOf, example, find, shown, shownConfigured } from "./administrator.ts";

const one = { description: "Without any secret.", body: okBody(Administrator), example: { status: "ok", data: example } };

export const listAdministrators = admin.endpoint({
  name: "listAdministrators",
  method: "GET",
  path: "/admin/administrators",
  tags: ["Administrator accounts"],
  summary: "List administrators",
  auth: "admin",
  role: "read-only",
  responses: {
    200: {
      description: "Without any secret.",
      body: okBody(Type.Array(Administrator)),
      example: { status: "ok", data: [{ username: "admin", role: "owner", enabled: true, fromConfiguration: true }, example] },
    },
    ...admin.errors(401),
  },
  handle: ({ administrators }) => {
    const data = [shownConfigured(administrators), ...administrators.list().map(shown)];
    return { status: 200 as const, body: { status: "ok" as const, data } };
  },
});

export const showAdministrator = admin.endpoint({
  name: "showAdministrator",
  method: "GET",
  path: "/admin/administrators/{username}",
  tags: ["Administrator accounts"],
  summary: "Get an administrator",
  auth: "admin",
  role: "read-only",
  params: AdministratorParams,
  responses: { 200: one, ...admin.errors(400, 401, 404) },
  handle: ({ administrators }, { params }) => {
    const data = find(administrators, params.username);
    if (data === null) throw unknownAdministrator();
    return { status: 200 as const, body: { status: "ok" as const, data } };
  },
});

export const showOwnAdministrator = admin.endpoint({
  name: "showOwnAdministrator",
  method: "GET",
  path: "/admin/administrators/me",
  tags: ["Administrator accounts"],
  summary: "Get your own administrator",
  auth: "admin",
  role: "read-only",
  machine: "never",
  responses: { 200: one, ...admin.errors(401, 404) },
  handle: ({ administrators }, { caller }) => {
    const data = find(administrators, actorOf(caller));
    if (data === null) throw unknownAdministrator();
    return { status: 200 as const, body: { status: "ok" as const, data } };
  },
});

import { app, errors, fields, methods, nav, rights, roleRights, roles } from "./app.it.ts";
import { enrol, forgot, invitation, recovery, reset, secondFactor, signIn, stepUp } from "./entrance.it.ts";
import { overview } from "./overview.it.ts";
import { settings } from "./settings.it.ts";
import { shortcuts } from "./shortcuts.it.ts";
import type { StartTexts } from "./start.en.ts";

/** The Italian texts that are loaded before any page shows. */
export const start: StartTexts = {
  app,
  nav,
  roles,
  rights,
  roleRights,
  methods,
  fields,
  errors,
  signIn,
  secondFactor,
  stepUp,
  enrol,
  recovery,
  invitation,
  forgot,
  reset,
  overview,
  settings,
  shortcuts,
};

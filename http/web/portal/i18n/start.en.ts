import { app, errors, fields, methods, nav, rights, roleRights, roles } from "./app.en.ts";
import { enrol, forgot, invitation, recovery, reset, secondFactor, signIn, stepUp } from "./entrance.en.ts";
import { overview } from "./overview.en.ts";
import { settings } from "./settings.en.ts";
import { shortcuts } from "./shortcuts.en.ts";

/**
 * The English texts that are loaded before any page shows: those of the frame, of the components,
 * of the pages before sign-in and of the overview. These pages must use no others.
 */
export const start = {
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

export type StartTexts = typeof start;

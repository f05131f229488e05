import { changeAdministrator } from "./change-administrator.ts";
import { changeOwnAdministratorPassword } from "./change-own-password.ts";
import { createAdministrator } from "./create-administrator.ts";
import { deleteAdministrator } from "./delete-administrator.ts";
import { resetAdministratorPassword } from "./reset-administrator-password.ts";
import { listAdministrators, showAdministrator, showOwnAdministrator } from "./show-administrators.ts";

/** Who may administer, and with which role. */
export const administratorEndpoints = [
  listAdministrators,
  createAdministrator,
  showOwnAdministrator,
  changeOwnAdministratorPassword,
  showAdministrator,
  changeAdministrator,
  resetAdministratorPassword,
  deleteAdministrator,
];

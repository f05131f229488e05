import { addPasskey } from "./add-passkey.ts";
import { beginPasskey } from "./begin-passkey.ts";
import { beginSession } from "./begin-session.ts";
import { beginTotp } from "./begin-totp.ts";
import { changeMe } from "./change-me.ts";
import { changePassword } from "./change-password.ts";
import { chooseMerchant } from "./choose-merchant.ts";
import { confirmTotp } from "./confirm-totp.ts";
import { endOneSession } from "./end-one-session.ts";
import { endOtherSessions } from "./end-other-sessions.ts";
import { endSession } from "./end-session.ts";
import { listSessions } from "./list-sessions.ts";
import { passkeyOptions } from "./passkey-options.ts";
import { passkeySession } from "./passkey-session.ts";
import { removePasskey } from "./remove-passkey.ts";
import { removeTotp } from "./remove-totp.ts";
import { replaceRecoveryCodes } from "./replace-recovery-codes.ts";
import { secondFactor } from "./second-factor.ts";
import { showMe } from "./show-me.ts";
import { showSession } from "./show-session.ts";
import { stepUp } from "./step-up.ts";

/** The endpoints of sign-in and of a person's own account. */
export const signInEndpoints = [
  beginSession,
  showSession,
  endSession,
  secondFactor,
  passkeyOptions,
  passkeySession,
  chooseMerchant,
  stepUp,
  listSessions,
  endOneSession,
  endOtherSessions,
  showMe,
  changeMe,
  changePassword,
  beginTotp,
  confirmTotp,
  removeTotp,
  beginPasskey,
  addPasskey,
  removePasskey,
  replaceRecoveryCodes,
];

import { Type } from "@sinclair/typebox";
import { EMAIL_LENGTH_MAX } from "../../../engine/accounts/account.ts";

const errorMessage = "must be an e-mail address";

/** Of a domain, which mail can be addressed to. */
const DOMAIN_LENGTH_MAX = 188;

/** The address of a person of the portal, which is read without the blanks around it and in lower case. */
const OF_PERSON = String.raw`^\s*[A-Za-z0-9!#$%&*+/=?^_\x60{|}~.'-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+\s*$`;

/** One that mail can be addressed to as it is. */
const OF_CUSTOMER = String.raw`^[!#-'*+\-/-9=?A-Z^-~.]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,186}[A-Za-z0-9])?$`;

export const PersonEmail = Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, pattern: OF_PERSON, errorMessage });

/** That of a person who is written to. */
export const ReachableEmail = Type.String({
  ...PersonEmail,
  pattern: OF_PERSON.replace("@", String.raw`@(?=[^\s]{1,${DOMAIN_LENGTH_MAX}}\s*$)`),
});

export const CustomerEmail = Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, pattern: OF_CUSTOMER, errorMessage });

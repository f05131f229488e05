/** `npm run portal-code`: the current code of the sandbox owner's second factor. */
import { currentCode } from "../../http/auth/totp.ts";
import { commandLine } from "../command-line.ts";
import { SANDBOX_OWNER } from "../node/boot/sandbox-names.ts";

commandLine("portal-code").description("Prints the current code of the second factor of the sandbox's owner.").parse();

const { code, secondsLeft } = currentCode(SANDBOX_OWNER.totpSecret, Date.now());
console.log(code);
console.error(`(${SANDBOX_OWNER.email}; valid for ${secondsLeft} s more, and half a minute after. Each code signs in once.)`);

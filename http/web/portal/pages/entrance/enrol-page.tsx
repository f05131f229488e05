import type { FactorEnrolledJson } from "../../../../surfaces/merchant/sign-in/schemas.ts";
import { takeSession } from "../../state/session.ts";
import { Enrolment } from "./enrolment.tsx";

/** The first second factor of one of a merchant's people. */
export function EnrolPage() {
  return <Enrolment<FactorEnrolledJson> goOn={({ session }) => takeSession(session)} />;
}

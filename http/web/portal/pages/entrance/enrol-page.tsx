import type { FactorEnrolledJson } from "../../../../surfaces/merchant/sign-in/schemas.ts";
import { takeSession } from "../../state/session.ts";
import { Enrolment } from "./enrolment.tsx";

/** Enrols the first second factor of a merchant's user. */
export function EnrolPage() {
  return <Enrolment<FactorEnrolledJson> goOn={({ session }) => takeSession(session)} />;
}

import type { AdminFactorEnrolledJson } from "../../../../surfaces/admin/session-schemas.ts";
import { Enrolment } from "../../../portal/pages/entrance/enrolment.tsx";

import { takeSession } from "../../state/session.ts";

/** The first second factor of an administrator. */
export function EnrolPage() {
  return <Enrolment<AdminFactorEnrolledJson> goOn={async ({ session }) => takeSession(session)} />;
}

import { Enrolment } from "../../../portal/pages/entrance/enrolment.tsx";
import type { EnrolledJson } from "../../api/types.ts";
import { takeSession } from "../../state/session.ts";

/** The first second factor of an administrator. */
export function EnrolPage() {
  return <Enrolment<EnrolledJson> goOn={async ({ session }) => takeSession(session)} />;
}

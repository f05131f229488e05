import { pageLoader } from "../../../portal/components/lazy-page.tsx";

/** What comes before the pages themselves, each loaded when it is needed. */
export const signInPage = pageLoader(async () => (await import("./sign-in-page.tsx")).SignInPage, "start");
export const secondFactorPage = pageLoader(
  async () => (await import("../../../portal/pages/entrance/second-factor-page.tsx")).SecondFactorPage,
  "start",
);
export const enrolPage = pageLoader(async () => (await import("./enrol-page.tsx")).EnrolPage, "start");

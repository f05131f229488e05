import { pageLoader } from "../../../portal/components/lazy-page.tsx";

/** What comes before the pages themselves, each loaded when it is needed. */
export const signInPage = pageLoader(async () => (await import("./sign-in-page.tsx")).SignInPage, "start");
/** Sign-in over a page whose session has ended. */
export const signInSteps = pageLoader(async () => (await import("./sign-in-page.tsx")).SignInSteps, "start");
export const secondFactorPage = pageLoader(
  async () => (await import("../../../portal/pages/entrance/second-factor-page.tsx")).SecondFactorPage,
  "start",
);
export const enrolPage = pageLoader(async () => (await import("./enrol-page.tsx")).EnrolPage, "start");

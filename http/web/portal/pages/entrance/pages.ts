import { pageLoader } from "../../components/lazy-page.tsx";

/** The pages before sign-in. Each is loaded when it is needed. */
export const signInPage = pageLoader(async () => (await import("./sign-in-page.tsx")).SignInPage, "start");
/** Sign-in over a page whose session has ended. */
export const signInSteps = pageLoader(async () => (await import("./sign-in-page.tsx")).SignInSteps, "start");
export const secondFactorPage = pageLoader(async () => (await import("./second-factor-page.tsx")).SecondFactorPage, "start");
export const enrolPage = pageLoader(async () => (await import("./enrol-page.tsx")).EnrolPage, "start");
export const forgotPage = pageLoader(async () => (await import("./forgot-page.tsx")).ForgotPage, "start");
export const resetPage = pageLoader(async () => (await import("./reset-page.tsx")).ResetPage, "start");
export const invitationPage = pageLoader(async () => (await import("./invitation-page.tsx")).InvitationPage, "start");

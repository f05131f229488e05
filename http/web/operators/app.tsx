import { useRef } from "preact/hooks";
import { LocationProvider, useLocation } from "preact-iso/router";
import { Boundary } from "../portal/components/boundary.tsx";
import { LazyPage } from "../portal/components/lazy-page.tsx";
import { OfflineBar } from "../portal/components/offline-bar.tsx";
import { Redirect } from "../portal/components/redirect.tsx";
import { SignInAgain } from "../portal/components/sign-in-again.tsx";
import { StepUpDialog } from "../portal/components/step-up-dialog.tsx";
import { Toasts } from "../portal/components/toast.tsx";
import { moved, onNavigate } from "../portal/state/navigation.ts";
import { startsOver } from "../portal/state/returning.ts";
import { Layout } from "./layout.tsx";
import { enrolPage, secondFactorPage, signInPage, signInSteps } from "./pages/entrance/pages.ts";
import { SCOPE, SIGN_IN, signInAddress, wantedPage } from "./state/addresses.ts";
import { session } from "./state/session.ts";

/** The operators' pages: what comes before sign-in, or the pages of an administrator who is signed in. */
export function App() {
  if (startsOver.value) return null;
  return (
    <LocationProvider scope={SCOPE}>
      <OfflineBar />
      <Root />
      <StepUpDialog />
      <SignInAgain app="operators" steps={signInSteps} signInAddress={signInAddress} />
      <Toasts />
    </LocationProvider>
  );
}

function Root() {
  const { path, query, route } = useLocation();
  onNavigate(route);
  // Another stage of the session is another page, at the same address.
  const place = `${session.value?.stage} ${path}`;
  const before = useRef(place);
  if (before.current !== place) {
    before.current = place;
    moved();
  }
  return <Boundary>{contentOf(path, query["next"])}</Boundary>;
}

function contentOf(path: string, next: string | undefined) {
  switch (session.value?.stage) {
    case "factor":
      return <LazyPage key="factor" of={secondFactorPage} props={{}} />;
    case "enrol":
      return <LazyPage key="enrol" of={enrolPage} props={{}} />;
    case "full":
      return path === SIGN_IN ? <Redirect to={wantedPage(next)} /> : <Layout path={path} />;
    default:
      return path === SIGN_IN ? <LazyPage key="sign-in" of={signInPage} props={{}} /> : <Redirect to={signInAddress()} />;
  }
}

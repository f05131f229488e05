import { useRef } from "preact/hooks";
import { LocationProvider, useLocation } from "preact-iso/router";
import { Boundary } from "./components/boundary.tsx";
import { LazyPage } from "./components/lazy-page.tsx";
import { OfflineBar } from "./components/offline-bar.tsx";
import { Redirect } from "./components/redirect.tsx";
import { SignInAgain } from "./components/sign-in-again.tsx";
import { StepUpDialog } from "./components/step-up-dialog.tsx";
import { Toasts } from "./components/toast.tsx";
import { Layout } from "./layout.tsx";
import { enrolPage, forgotPage, invitationPage, resetPage, secondFactorPage, signInPage, signInSteps } from "./pages/entrance/pages.ts";
import { moved, onNavigate, signInAddress, wantedPage } from "./state/navigation.ts";
import { startsOver } from "./state/returning.ts";
import { session } from "./state/session.ts";

/** Shows the pages before sign-in, or the pages of the person who is signed in. */
export function App() {
  if (startsOver.value) return null;
  return (
    <LocationProvider scope="/portal">
      <OfflineBar />
      <Root />
      <StepUpDialog />
      <SignInAgain app="portal" steps={signInSteps} signInAddress={signInAddress} />
      <Toasts />
    </LocationProvider>
  );
}

function Root() {
  const { path, query, route } = useLocation();
  onNavigate(route);
  // Another stage of the session shows another page at the same address.
  const place = `${session.value?.stage} ${path}`;
  const before = useRef(place);
  if (before.current !== place) {
    before.current = place;
    moved();
  }
  return <Boundary>{contentOf(path, query["next"])}</Boundary>;
}

function contentOf(path: string, next: string | undefined) {
  const [, , page, token = null] = path.split("/");
  if (page === "invitation") return <LazyPage key="invitation" of={invitationPage} props={{ token }} />;
  if (page === "reset") return <LazyPage key="reset" of={resetPage} props={{ token }} />;
  if (page === "forgot") return <LazyPage key="forgot" of={forgotPage} props={{}} />;
  switch (session.value?.stage) {
    case "factor":
      return <LazyPage key="factor" of={secondFactorPage} props={{}} />;
    case "enrol":
      return <LazyPage key="enrol" of={enrolPage} props={{}} />;
    case "full":
      return page === "sign-in" ? <Redirect to={wantedPage(next)} /> : <Layout path={path} />;
    default:
      return page === "sign-in" ? <LazyPage key="sign-in" of={signInPage} props={{}} /> : <Redirect to={signInAddress()} />;
  }
}

import { useEffect, useState } from "preact/hooks";
import { post } from "../../api/client.ts";
import { hasCode } from "../../api/errors.ts";
import { Banner } from "../../components/banner.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Form } from "../../components/form.tsx";
import { text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { hideFromAddress, navigate } from "../../state/navigation.ts";
import { loadSession } from "../../state/session.ts";
import { toast } from "../../state/toasts.ts";
import { Entrance } from "./entrance.tsx";
import { useNewPassword } from "./new-password.tsx";

/** Sets a new password with the token from a mail. */
export function ResetPage({ token: given }: { token: string | null }) {
  const { reset, forgot, invitation } = text();
  const [token] = useState(given);
  const { password, check, inputs } = useNewPassword();
  useEffect(() => hideFromAddress("/portal/reset"), []);
  const set = useAction(async () => {
    await post("/password/reset", { token, password });
    // All sessions have ended, including the one of this browser.
    await loadSession();
    navigate("/portal/sign-in", { replace: true });
    toast(reset.done);
  });
  const gone = hasCode(set.error, "used_or_expired");
  if (token === null || gone) {
    return (
      <Entrance key="gone" title={gone ? reset.goneTitle : reset.title} foot={<a href="/portal/sign-in">{forgot.back}</a>}>
        <Banner kind="warning" alert>
          {gone ? reset.goneText : invitation.missing}
        </Banner>
        <ButtonLink href="/portal/forgot" kind="primary" wide>
          {reset.again}
        </ButtonLink>
      </Entrance>
    );
  }
  return (
    <Entrance title={reset.title} lead={reset.lead}>
      <Form error={set.error} busy={set.busy} onSubmit={() => check() && void set.run()}>
        {inputs}
        <Button type="submit" kind="primary" wide busy={set.busy}>
          {reset.submit}
        </Button>
      </Form>
    </Entrance>
  );
}

import { useEffect, useState } from "preact/hooks";
import type { SessionStateJson } from "../../../../surfaces/merchant/sign-in/schemas.ts";
import type { InvitationJson } from "../../../../surfaces/merchant/team/schemas.ts";
import { get, post } from "../../api/client.ts";
import { hasCode } from "../../api/errors.ts";
import { Banner } from "../../components/banner.tsx";
import { Button, ButtonLink } from "../../components/button.tsx";
import { TextField } from "../../components/field.tsx";
import { requiredProblem } from "../../components/field-problems.ts";
import { Form } from "../../components/form.tsx";
import { Loaded } from "../../components/panel.tsx";
import { RoleRights } from "../../components/role-rights.tsx";
import { formatDateTime } from "../../i18n/format.ts";
import { rightsOf } from "../../i18n/rights.ts";
import { locale, showLocale, text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { hideFromAddress, navigate } from "../../state/navigation.ts";
import { useResource } from "../../state/resource.ts";
import { takeSession } from "../../state/session.ts";
import { Entrance } from "./entrance.tsx";
import { useNewPassword } from "./new-password.tsx";

/**
 * Accepts an invitation with the token from a mail. The session then continues with the second
 * factor or its enrolment.
 */
export function InvitationPage({ token: given }: { token: string | null }) {
  const [token] = useState(given);
  useEffect(() => hideFromAddress("/portal/invitation"), []);
  const { invitation } = text();
  if (token === null) {
    return (
      <Entrance title={invitation.title} foot={<a href="/portal/sign-in">{invitation.toSignIn}</a>}>
        <Banner kind="warning">{invitation.missing}</Banner>
      </Entrance>
    );
  }
  return <Invited token={token} />;
}

function Invited({ token }: { token: string }) {
  const { invitation, roles } = text();
  const path = `/invitations/${encodeURIComponent(token)}`;
  const invited = useResource(path, async (signal) => {
    const found = await get<InvitationJson>(path, { signal });
    // The page switches to the language of the mail.
    await showLocale(found.locale);
    return found;
  });
  const [gone, setGone] = useState(false);
  if (gone || hasCode(invited.error, "used_or_expired") || hasCode(invited.error, "not_found")) {
    return (
      <Entrance key="gone" title={invitation.goneTitle}>
        <Banner kind="warning" alert>
          {invitation.goneText}
        </Banner>
        <ButtonLink href="/portal/sign-in" wide>
          {invitation.toSignIn}
        </ButtonLink>
      </Entrance>
    );
  }
  const { data } = invited;
  return (
    <Entrance title={invitation.title} lead={data === null ? undefined : invitation.lead(data.merchantName, roles[data.role])}>
      <Loaded of={invited}>
        {(found) => (
          <>
            <RoleRights {...rightsOf(found.role)} />
            {found.hasAccount ? (
              <KnownPerson path={path} invited={found} onGone={() => setGone(true)} />
            ) : (
              <NewPerson path={path} invited={found} onGone={() => setGone(true)} />
            )}
            <p class="list-text">{invitation.until(formatDateTime(found.expiresAt))}</p>
          </>
        )}
      </Loaded>
    </Entrance>
  );
}

interface AcceptProps {
  path: string;
  invited: InvitationJson;
  onGone: () => void;
}

function useAccept({ path, onGone }: AcceptProps) {
  return useAction(async (password: string) => {
    try {
      await takeSession(await post<SessionStateJson>(`${path}/accept`, { password, locale: locale.value }));
      navigate("/portal", { replace: true });
    } catch (error) {
      if (!hasCode(error, "used_or_expired")) throw error;
      onGone();
    }
  });
}

function NewPerson(props: AcceptProps) {
  const { invitation, fields } = text();
  const { password, check, inputs } = useNewPassword();
  const accept = useAccept(props);
  return (
    <Form error={accept.error} busy={accept.busy} onSubmit={() => check() && void accept.run(password)}>
      <p class="lead">{invitation.newAccount}</p>
      <TextField
        label={fields.email}
        type="email"
        name="email"
        autoComplete="username"
        value={props.invited.email}
        onInput={() => {}}
        disabled
      />
      {inputs}
      <Button type="submit" kind="primary" wide busy={accept.busy}>
        {invitation.submit}
      </Button>
    </Form>
  );
}

function KnownPerson(props: AcceptProps) {
  const { invitation, fields } = text();
  const [password, setPassword] = useState("");
  const [checked, setChecked] = useState(false);
  const problem = requiredProblem(password);
  const accept = useAccept(props);
  return (
    <Form
      error={accept.error}
      busy={accept.busy}
      onSubmit={() => {
        setChecked(true);
        if (problem === null) void accept.run(password);
      }}
    >
      <p class="lead">{invitation.hasAccount}</p>
      <TextField
        label={fields.email}
        type="email"
        name="email"
        autoComplete="username"
        value={props.invited.email}
        onInput={() => {}}
        disabled
      />
      <TextField
        label={fields.password}
        type="password"
        name="password"
        autoComplete="current-password"
        value={password}
        onInput={setPassword}
        error={checked ? problem : null}
      />
      <Button type="submit" kind="primary" wide busy={accept.busy}>
        {invitation.submit}
      </Button>
    </Form>
  );
}

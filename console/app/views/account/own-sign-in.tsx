/** The person's own sign-in: password, passkeys, and the browsers that are signed in. */
import { useSession } from '../../shell/session-context.ts';
import { Panel } from '../../ui/panel.tsx';
import { Browsers } from './browsers.tsx';
import { Passkeys } from './passkeys.tsx';
import { PasswordForm } from './password-form.tsx';

export function OwnSignIn() {
  const session = useSession();
  if (session.kind !== 'person') return null;
  const { email } = session.person;
  return (
    <>
      <Panel title="Password">
        <p>
          You sign in as <b dir="auto">{email}</b>.
        </p>
        <PasswordForm email={email} />
      </Panel>
      <Panel title="Passkeys">
        <Passkeys />
      </Panel>
      <Panel title="Where you are signed in">
        <Browsers />
      </Panel>
    </>
  );
}

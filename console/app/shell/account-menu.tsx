/** Says who uses the console, and ends that: signs out, or forgets the key of this tab. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { untilSent } from '../data/leaving.ts';
import { forgetKey, type Session } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { useSession } from './session-context.ts';

/** How much of a key is shown: enough to recognize it, too little to use it. */
const SHOWN_OF_KEY = 14;

export function AccountMenu() {
  const session = useSession();
  return (
    <div className="account">
      <p className="account-name">{nameOf(session)}</p>
      {session.kind === 'person' ? <SignOut csrf={session.csrf} /> : <ForgetKey />}
    </div>
  );
}

function nameOf(session: Session) {
  if (session.kind === 'key')
    return (
      <>
        Key <code>{session.key.slice(0, SHOWN_OF_KEY)}…</code>
      </>
    );
  return <bdi>{session.person.email}</bdi>;
}

function SignOut({ csrf }: { csrf: string }) {
  const queryClient = useQueryClient();
  const [isPending, setIsPending] = useState(false);
  const signOut = async (form: HTMLFormElement) => {
    setIsPending(true);
    // Afterwards the service would refuse what was announced.
    await untilSent(queryClient);
    // The drawer of a phone may have been closed meanwhile, and a form outside the page submits nothing.
    if (!form.isConnected) document.body.append(form);
    form.submit();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    void signOut(event.currentTarget);
  };
  return (
    <form method="post" action="/sign-out" onSubmit={submit}>
      <input type="hidden" name="csrf" value={csrf} />
      <Button look="quiet" type="submit" isPending={isPending}>
        Sign out
      </Button>
    </form>
  );
}

function ForgetKey() {
  const forget = () => {
    forgetKey();
    // A reload removes everything that the key gave access to.
    location.assign('/');
  };
  return (
    <Button look="quiet" onPress={forget}>
      Forget key
    </Button>
  );
}

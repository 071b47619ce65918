/** For visitors who have not signed in: sign in, or open the console with an API key. */
import { type FormEvent, useState } from 'react';
import { createApi } from '../data/trpc.ts';
import { codeOf } from '../data/problem.ts';
import { forgetKey, storeKey } from '../data/session.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { ServerLink } from '../ui/link.tsx';
import { ProblemView } from '../ui/problem-view.tsx';

const HINT =
  'The first start of this install printed one. It stays in this tab, is sent to this install only, in a header, and is forgotten when the tab closes.';

/** What can be sent in a header. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** @param onOpen called with a key that works, after it is stored */
// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function Entry({ onOpen }: { onOpen(): void }) {
  const next = encodeURIComponent(location.pathname + location.search);
  return (
    <main id="content" className="entry" tabIndex={-1}>
      <section className="panel">
        <img src="/assets/bells.svg" alt="" width="320" height="110" />
        <h1>One keyboard, every bell</h1>
        <p>Write a post once, send it to every connected account, and see the result of each.</p>
        <p>
          <ServerLink href={`/sign-in?next=${next}`} className="button button-primary">
            Sign in
          </ServerLink>
        </p>
        <p className="hint">Or open the console with a key.</p>
        <KeyForm onOpen={onOpen} />
      </section>
    </main>
  );
}

function KeyForm({ onOpen }: { onOpen(): void }) {
  const [key, setKey] = useState('');
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const open = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(null);
    try {
      await openWith(key.trim());
      onOpen();
    } catch (thrown) {
      setFailure(thrown);
      setBusy(false);
    }
  };
  const isKey = SENDABLE.test(key.trim());
  return (
    <form onSubmit={(event) => void open(event)}>
      <TextField
        label="API key"
        hint={HINT}
        type="password"
        isRequired
        autoComplete="off"
        value={key}
        onChange={setKey}
        validate={(text) =>
          text === '' || isKey ? null : 'This is not an API key. A key begins with crl_live_ or crl_test_.'
        }
      />
      <Button look="primary" type="submit" isPending={isBusy}>
        Open the console
      </Button>
      {failure !== null && <ProblemView failure={failure} />}
    </form>
  );
}

/** Stores the key once the service accepts it. */
async function openWith(key: string): Promise<void> {
  forgetKey();
  try {
    await createApi({ kind: 'key', key }).connections.list.query({ limit: 1 });
  } catch (failure) {
    // The service knows the key, which may not read connections.
    if (codeOf(failure) !== 'forbidden') throw failure;
  }
  storeKey(key);
}

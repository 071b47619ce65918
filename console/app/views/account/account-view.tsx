/** Account: plan and usage, people, settings, and the person's own sign-in. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed } from '../../shell/rights.tsx';
import { useSession } from '../../shell/session-context.ts';
import { useTitle } from '../../shell/use-title.ts';
import { ServerLink } from '../../ui/link.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { AccountSettings } from './account-settings.tsx';
import { OwnSignIn } from './own-sign-in.tsx';
import { People } from './people.tsx';
import { Usage } from './usage.tsx';
import './account.css';

// The choice of a time zone brings much.
const WeeklyDigest = lazy(() => import('./weekly-digest.tsx'));

export function AccountView() {
  useTitle('Account');
  const session = useSession();
  const query = useQuery(useTRPC().account.get.queryOptions({}));
  return (
    <>
      <header className="view-head">
        <h1>Account</h1>
        {session.kind === 'person' && <ServerLink href="/owner">The page without scripts</ServerLink>}
      </header>
      <QueryView what="the account" query={query}>
        {({ account }) => (
          <>
            <Usage account={account} />
            {session.kind === 'person' ? <People /> : <SignInForPeople />}
            <AccountSettings account={account} />
          </>
        )}
      </QueryView>
      {session.kind === 'person' && (
        <>
          <Allowed to="owner">
            <Suspense fallback={<Loading what="the weekly digest" />}>
              <WeeklyDigest />
            </Suspense>
          </Allowed>
          <OwnSignIn />
        </>
      )}
    </>
  );
}

function SignInForPeople() {
  return (
    <Panel title="People">
      <p>
        <ServerLink href="/sign-in?next=%2Faccount">Sign in</ServerLink> to see who has access. A key shows neither
        people nor invitations.
      </p>
    </Panel>
  );
}

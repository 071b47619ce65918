/** Keys: all API keys of the account and of its profiles, and a form that makes one. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useProfileNames } from '../../data/profiles.ts';
import { useTRPC } from '../../data/trpc.ts';
import { useTitle } from '../../shell/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { KeyRound } from '../../ui/view-icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { KeyRow } from './key-row.tsx';
import type { MadeKey } from './made-key.ts';

// The list is shown first, and the form is the larger part.
const KeyForm = lazy(() => import('./key-form.tsx'));

const route = getRouteApi('/keys');

const PAGE = 50;

export function KeysView() {
  useTitle('Keys');
  const { show } = route.useSearch();
  const navigate = useNavigate({ from: '/keys' });
  const [made, setMade] = useState<MadeKey | null>(null);
  const query = useInfiniteQuery(
    useTRPC().keys.list.infiniteQueryOptions(
      { includeRevoked: show === 'all', limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  return (
    <>
      <h1>Keys</h1>
      <p className="hint">
        Programs use keys; a key never signs a person in. To replace one without an interruption, make another, switch
        your programs to it, then revoke the old one.
      </p>
      {made !== null && (
        <Panel key={made.key.id} title="New key">
          <CopyField
            label="Key"
            value={made.secret}
            hint={`${made.key.name} is shown this once. Store it in the program that uses it.`}
          />
          <Button onPress={() => setMade(null)}>I have stored it</Button>
        </Panel>
      )}
      <Panel title="API keys">
        <Checkbox
          isSelected={show === 'all'}
          onChange={(all) => void navigate({ to: '/keys', search: all ? { show: 'all' } : {}, replace: true })}
        >
          Show revoked keys
        </Checkbox>
        <QueryView what="the keys" query={query}>
          {({ pages }) => (
            <>
              <Rows keys={pages.flatMap(({ keys }) => keys)} />
              <ShowMore what="keys" query={query} />
            </>
          )}
        </QueryView>
      </Panel>
      <Suspense>
        <KeyForm onMade={setMade} />
      </Suspense>
    </>
  );
}

function Rows({ keys }: { keys: readonly MadeKey['key'][] }) {
  const profileName = useProfileNames();
  if (keys.length === 0) {
    return (
      <EmptyState icon={KeyRound} title="No keys">
        A key lets a program publish over REST, the typed client or MCP. Make a test key first: it reaches the sandbox
        only.
      </EmptyState>
    );
  }
  return (
    <ul className="rows" aria-label="Keys, oldest first">
      {keys.map((key) => (
        <KeyRow key={key.id} value={key} profile={key.profileId === null ? null : profileName(key.profileId)} />
      ))}
    </ul>
  );
}

/** The keys of a profile: list, mint with the secret shown once, revoke. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Allowed, useCan } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { toast } from '../../ui/toasts.tsx';
import { MintForm } from './mint-form.tsx';

type Key = Outputs['keys']['listOfProfile']['keys'][number];

/** More than the keys that work at a time in most profiles. */
const PAGE = 25;

export function ProfileKeys({ profileId }: { profileId: string }) {
  const [includeRevoked, setIncludeRevoked] = useState(false);
  const [minted, setMinted] = useState<Outputs['keys']['mint'] | null>(null);
  const query = useInfiniteQuery(
    useTRPC().keys.listOfProfile.infiniteQueryOptions(
      { profileId, includeRevoked, limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  return (
    <Panel title="Keys">
      <p className="hint">
        A key of a profile reaches this profile only. Give it to a program that works for this customer.
      </p>
      <Checkbox isSelected={includeRevoked} onChange={setIncludeRevoked}>
        Show revoked keys
      </Checkbox>
      <QueryView what="the keys" query={query}>
        {({ pages }) => (
          <>
            <Rows keys={pages.flatMap(({ keys }) => keys)} profileId={profileId} />
            <ShowMore what="keys" query={query} />
            {minted !== null && (
              <section key={minted.key.id} aria-label="New key">
                <CopyField
                  label="Key"
                  value={minted.secret}
                  hint={`${minted.key.name} is shown this once. Store it in the program that uses it.`}
                />
                <Button onPress={() => setMinted(null)}>I have stored it</Button>
              </section>
            )}
            <Allowed to="keys:write">
              <MintForm profileId={profileId} onMinted={setMinted} />
            </Allowed>
          </>
        )}
      </QueryView>
    </Panel>
  );
}

function Rows({ keys, profileId }: { keys: readonly Key[]; profileId: string }) {
  if (keys.length === 0) return <p>No key works for this profile.</p>;
  return (
    <ul className="rows" aria-label="Keys, oldest first">
      {keys.map((key) => (
        <KeyRow key={key.id} value={key} profileId={profileId} />
      ))}
    </ul>
  );
}

function KeyRow({ value, profileId }: { value: Key; profileId: string }) {
  const { id, name, type, prefix, scopes, createdAt, lastUsedAt, revokedAt } = value;
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const canRevoke = useCan('keys:write');
  const revocation = useMutation(
    trpc.keys.revokeOfProfile.mutationOptions({
      onSuccess: () => toast(`${name} is revoked.`),
      onSettled: () => queryClient.invalidateQueries(trpc.keys.pathFilter()),
    }),
  );
  return (
    <li className="row-with-action">
      <div>
        <p>
          <b dir="auto">{name}</b> <span className="soft">{type}</span> <code>{prefix}…</code>
        </p>
        <p className="hint">
          Made <QuietMoment at={createdAt} />.{' '}
          {lastUsedAt === null ? (
            'Never used.'
          ) : (
            <>
              Last used <QuietMoment at={lastUsedAt} />.
            </>
          )}
          {revokedAt !== null && (
            <>
              {' '}
              Revoked <QuietMoment at={revokedAt} />.
            </>
          )}
        </p>
        {scopes !== null && <p className="hint">Limited to {scopes.join(', ')}.</p>}
        {revocation.error !== null && <ProblemView failure={revocation.error} />}
      </div>
      {canRevoke && revokedAt === null && (
        <Button aria-label={`Revoke ${name}`} isPending={revocation.isPending} onPress={() => setAsking(true)}>
          Revoke
        </Button>
      )}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Revoke ${name}?`}
        action="Revoke"
        onConfirm={() => revocation.mutate({ profileId, keyId: id })}
        onClose={() => setAsking(false)}
      >
        <p>
          Programs that use it stop working at once, and the webhooks that it registered end. This cannot be undone.
        </p>
      </ConfirmDialog>
    </li>
  );
}

/** A key in the list: what it reaches, its last use, and its end. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTRPC } from '../../data/trpc.ts';
import { StopButton } from '../../shell/stop-button.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Link } from '../../ui/link.tsx';
import { QuietMoment, useNow } from '../../ui/moment.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import type { MadeKey } from './made-key.ts';

export interface KeyRowProps {
  readonly value: MadeKey['key'];
  /** Name of its profile; null when it reaches the whole account. */
  readonly profile: string | null;
}

export function KeyRow({ value, profile }: KeyRowProps) {
  const {
    id,
    name,
    type,
    prefix,
    profileId,
    scopes,
    approval,
    policyId,
    createdBy,
    createdAt,
    lastUsedAt,
    expiresAt,
    revokedAt,
  } = value;
  const now = useNow();
  const hasExpired = expiresAt !== null && new Date(expiresAt).getTime() <= now;
  return (
    <li className="row-with-action" id={`key-${id}`}>
      <div>
        <p>
          <b dir="auto">{name}</b> <span className="soft">{type}</span> <code>{prefix}…</code>{' '}
          {approval === 'required' && <span className="badge">asks first</span>}{' '}
          {policyId !== null && <span className="badge">has a policy</span>}{' '}
          {revokedAt !== null && <span className="badge badge-bad">revoked</span>}
          {revokedAt === null && hasExpired && <span className="badge badge-bad">expired</span>}
        </p>
        <p className="hint">
          Reaches{' '}
          {profileId === null ? (
            'the whole account'
          ) : (
            <Link to="/profiles/$profileId" params={{ profileId }} className="link">
              <bdi>{profile}</bdi>
            </Link>
          )}
          {scopes !== null && <>, limited to {scopes.join(', ')}</>}.
        </p>
        <p className="hint">
          Made <QuietMoment at={createdAt} />
          {createdBy !== null && (createdBy.kind === 'key' ? ' with another key' : ' by an agent')}.{' '}
          {lastUsedAt === null ? (
            'Never used.'
          ) : (
            <>
              Last used <QuietMoment at={lastUsedAt} />.
            </>
          )}{' '}
          {expiresAt !== null && (
            <>
              {hasExpired ? 'Expired' : 'Expires'} <QuietMoment at={expiresAt} />.{' '}
            </>
          )}
          {revokedAt !== null && (
            <>
              Revoked <QuietMoment at={revokedAt} />.{' '}
            </>
          )}
          <Link to="/activity" search={{ actorId: id }} className="link" aria-label={`Activity of ${name}`}>
            Activity
          </Link>
          {revokedAt === null && (
            <>
              {', '}
              <Link
                to="/policies/$policyId"
                params={{ policyId: id }}
                className="link"
                aria-label={`Policy of ${name}`}
              >
                Policy
              </Link>
            </>
          )}
        </p>
      </div>
      {revokedAt === null && (
        <div className="actions">
          <StopButton name={name} target={{ keyId: id }} />
          <Revoke value={value} />
        </div>
      )}
    </li>
  );
}

function Revoke({ value: { id, name, profileId } }: { value: MadeKey['key'] }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const [includeMinted, setIncludeMinted] = useState(false);
  const revocation = useMutation(
    trpc.keys.revoke.mutationOptions({
      onSuccess: () => toast(`${name} is revoked.`),
      onSettled: () => queryClient.invalidateQueries(trpc.keys.pathFilter()),
    }),
  );
  return (
    <div>
      <Button aria-label={`Revoke ${name}`} isPending={revocation.isPending} onPress={() => setAsking(true)}>
        Revoke
      </Button>
      {revocation.error !== null && <ProblemView failure={revocation.error} />}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Revoke ${name}?`}
        action="Revoke"
        onConfirm={() => revocation.mutate({ keyId: id, includeMinted })}
        onClose={() => setAsking(false)}
      >
        <p>
          Programs that use it stop working at once, and the webhooks that it registered end. This cannot be undone.
        </p>
        {profileId === null && (
          <Checkbox isSelected={includeMinted} onChange={setIncludeMinted}>
            Also revoke every key that it minted, as for a key that leaked
          </Checkbox>
        )}
      </ConfirmDialog>
    </div>
  );
}

/** One person of the account. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Allowed } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ServerLink } from '../../ui/link.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';

const RoleSheet = lazy(() => import('./role-sheet.tsx'));

type Person = Outputs['people']['list']['people'][number];

export function PersonRow({ person }: { person: Person }) {
  const { id, email, role, createdAt, lastSeenAt, isYou } = person;
  const [dialog, setDialog] = useState<'role' | 'remove' | null>(null);
  const close = () => setDialog(null);
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const removal = useMutation(
    trpc.people.remove.mutationOptions({
      onSuccess: () => toast(`${email} has no access anymore.`),
      onSettled: () => void queryClient.invalidateQueries(trpc.people.pathFilter()),
    }),
  );
  return (
    <li className="row-with-action">
      <div>
        <p>
          <b dir="auto">{email}</b> <span className="badge">{role}</span>
          {isYou && <span className="soft"> you</span>}
        </p>
        <p className="hint">
          Joined <QuietMoment at={createdAt} />.{' '}
          {lastSeenAt === null ? (
            'Not signed in.'
          ) : (
            <>
              Last seen <QuietMoment at={lastSeenAt} />.
            </>
          )}
        </p>
        {removal.error !== null && <ProblemView failure={removal.error} />}
      </div>
      <Allowed to="owner">
        <div className="actions">
          <Button aria-label={`Change role of ${email}`} onPress={() => setDialog('role')}>
            Change role
          </Button>
          {!isYou && (
            <Button aria-label={`Remove ${email}`} isPending={removal.isPending} onPress={() => setDialog('remove')}>
              Remove
            </Button>
          )}
        </div>
      </Allowed>
      <Suspense>{dialog === 'role' && <RoleSheet person={person} onClose={close} />}</Suspense>
      <ConfirmDialog
        isOpen={dialog === 'remove'}
        title={`Remove ${email}?`}
        action="Remove"
        onConfirm={() => removal.mutate({ personId: id })}
        onClose={close}
      >
        <p>This ends at once:</p>
        <ul>
          <li>their sign-ins, passkeys and invitations</li>
          <li>the agents that they allowed, with the keys and webhooks of those</li>
          <li>calendar addresses that they or these agents made or last renewed</li>
        </ul>
        <p>
          Keys that they created stay. Replace the <ServerLink href="/owner/keys">account keys</ServerLink> of which
          they may have a copy.
        </p>
      </ConfirmDialog>
    </li>
  );
}

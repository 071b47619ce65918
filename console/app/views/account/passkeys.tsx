/** The passkeys of the person. They are added on a page of the server, which asks the device. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ServerLink } from '../../ui/link.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { toast } from '../../ui/toasts.tsx';

type Passkey = Outputs['people']['listPasskeys']['passkeys'][number];

export function Passkeys() {
  const query = useQuery(useTRPC().people.listPasskeys.queryOptions({}));
  return (
    <QueryView what="the passkeys" query={query}>
      {({ passkeys, isSupported }) => (
        <>
          <p className="hint">A passkey signs you in with your device instead of the password.</p>
          {passkeys.length > 0 && (
            <ul className="rows" aria-label="Passkeys, newest first">
              {passkeys.map((passkey) => (
                <PasskeyRow key={passkey.id} passkey={passkey} />
              ))}
            </ul>
          )}
          {isSupported ? (
            <ServerLink href="/owner#passkeys-heading">Add a passkey</ServerLink>
          ) : (
            <p>Passkeys need an install with a name, over https.</p>
          )}
        </>
      )}
    </QueryView>
  );
}

function PasskeyRow({ passkey: { id, createdAt, lastUsedAt } }: { passkey: Passkey }) {
  const [isAsking, setAsking] = useState(false);
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const removal = useMutation(
    trpc.people.removePasskey.mutationOptions({
      onSuccess: () => toast('The passkey is removed. Your device may still show it.'),
      onSettled: () => void queryClient.invalidateQueries(trpc.people.pathFilter()),
    }),
  );
  return (
    <li className="row-with-action">
      <div>
        <p>
          Added <QuietMoment at={createdAt} />
        </p>
        <p className="hint">
          {lastUsedAt === null ? (
            'Not used yet.'
          ) : (
            <>
              Last used <QuietMoment at={lastUsedAt} />.
            </>
          )}
        </p>
        {removal.error !== null && <ProblemView failure={removal.error} />}
      </div>
      <Button isPending={removal.isPending} onPress={() => setAsking(true)}>
        Remove
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title="Remove the passkey?"
        action="Remove"
        onConfirm={() => removal.mutate({ passkeyId: id })}
        onClose={() => setAsking(false)}
      >
        <p>Its device then signs in with the password. A new passkey can be added at any time.</p>
      </ConfirmDialog>
    </li>
  );
}

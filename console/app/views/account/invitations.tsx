/** Open invitations, the link of a new one, and the form that invites. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import { InviteForm } from './invite-form.tsx';

type NewInvitation = Outputs['people']['invite'];
type Invitation = Outputs['people']['listInvitations']['invitations'][number];

const MAIL_WORDS: Readonly<Record<NewInvitation['mail'], string>> = {
  sent: 'It was mailed too.',
  failed: 'It could not be mailed: give the person the link.',
  off: 'No mail is set up on this install: give the person the link.',
};

export function Invitations() {
  const [made, setMade] = useState<NewInvitation | null>(null);
  const query = useQuery(useTRPC().people.listInvitations.queryOptions({}));
  return (
    <>
      <QueryView what="the invitations" query={query}>
        {({ invitations }) => <Rows invitations={invitations} />}
      </QueryView>
      {made !== null && (
        <section key={made.invitation.id} aria-label="New invitation">
          <CopyField
            label="Link"
            value={made.url}
            hint={`For ${made.invitation.email}, shown this once. It works once, for seven days. ${MAIL_WORDS[made.mail]}`}
          />
          <Button onPress={() => setMade(null)}>I have passed it on</Button>
        </section>
      )}
      <InviteForm onInvited={setMade} />
    </>
  );
}

function Rows({ invitations }: { invitations: readonly Invitation[] }) {
  if (invitations.length === 0) return null;
  return (
    <>
      <h3>Open invitations</h3>
      <ul className="rows" aria-label="Open invitations, newest first">
        {invitations.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </>
  );
}

function InvitationRow({ invitation: { id, email, role, expiresAt } }: { invitation: Invitation }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const withdrawal = useMutation(
    trpc.people.withdrawInvitation.mutationOptions({
      onSuccess: () => toast(`The invitation of ${email} is withdrawn.`),
      onSettled: () => void queryClient.invalidateQueries(trpc.people.pathFilter()),
    }),
  );
  return (
    <li className="row-with-action">
      <div>
        <p>
          <b dir="auto">{email}</b> <span className="badge">{role}</span>
        </p>
        <p className="hint">
          Expires <QuietMoment at={expiresAt} />.
        </p>
        {withdrawal.error !== null && <ProblemView failure={withdrawal.error} />}
      </div>
      <Button
        aria-label={`Withdraw the invitation of ${email}`}
        isPending={withdrawal.isPending}
        onPress={() => withdrawal.mutate({ invitationId: id })}
      >
        Withdraw
      </Button>
    </li>
  );
}

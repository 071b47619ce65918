/** Lets a person leave the account. */
import { onlineManager, useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';

export function LeaveAccount({ isLastOwner }: { isLastOwner: boolean }) {
  const [isAsking, setAsking] = useState(false);
  const leaving = useMutation(
    useTRPC().people.leave.mutationOptions({
      // The sign-in ends before the answer arrives: a read meanwhile would be refused.
      onMutate: () => onlineManager.setOnline(false),
      onSuccess: () => location.assign('/sign-in'),
      onError: () => onlineManager.setOnline(true),
    }),
  );
  if (isLastOwner) {
    return <p className="hint">You are the only owner. Make another person an owner before you leave.</p>;
  }
  return (
    <>
      <Button look="quiet" isPending={leaving.isPending} onPress={() => setAsking(true)}>
        Leave this account
      </Button>
      {leaving.error !== null && <ProblemView failure={leaving.error} />}
      <ConfirmDialog
        isOpen={isAsking}
        title="Leave this account?"
        action="Leave"
        onConfirm={() => leaving.mutate({})}
        onClose={() => setAsking(false)}
      >
        <p>You are signed out everywhere, and the agents that you allowed end. To come back, you need an invitation.</p>
      </ConfirmDialog>
    </>
  );
}

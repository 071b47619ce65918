/** Approve, change and approve, or reject with words that the agent reads. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useEffectEvent, useState } from 'react';
import { useLists } from '../../data/live/use-lists.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { ZONE } from '../../ui/times.ts';
import { toast } from '../../ui/toasts.tsx';
import type { Request } from './request.ts';
import { untilTonight } from './until-tonight.ts';

/** Posts that the box lets out. */
const NEXT = 10;

const REASON_MAX = 1_000;

/** What the person does beside the two plain buttons. */
type Mode = 'change' | 'reject' | null;

interface Properties {
  readonly request: Request;
  /** Called when the person has written something that no decision has used, and when that is over. */
  readonly onWritten: (isWritten: boolean) => void;
}

export function Decision({ request, onWritten }: Properties) {
  const { postId, approval, content } = request;
  const [mode, setMode] = useState<Mode>(null);
  const [text, setText] = useState(content.text);
  const [reason, setReason] = useState('');
  const [withNext, setWithNext] = useState(false);
  const { approve, reject, isPending, isDone, error } = useDecision(request);
  const isWritten = !isDone && (reason.trim() !== '' || text !== content.text);
  const report = useEffectEvent(onWritten);
  useEffect(() => report(isWritten), [isWritten]);
  const approveIt = () =>
    approve({
      ...(text.trim() !== content.text && { text }),
      ...(withNext && { next: { posts: NEXT, ...untilTonight(Date.now(), ZONE) } }),
    });
  const submitRejection = (event: FormEvent) => {
    event.preventDefault();
    reject(reason.trim());
  };
  return (
    <>
      {mode === 'change' && <TextField label="Text" isRequired rows={5} dir="auto" value={text} onChange={setText} />}
      {mode === 'reject' ? (
        <form onSubmit={submitRejection}>
          <TextField
            label="Reason"
            isRequired
            rows={2}
            maxLength={REASON_MAX}
            dir="auto"
            hint="The agent reads it, and can change the draft and ask again."
            value={reason}
            onChange={setReason}
          />
          <div className="actions">
            <Button look="primary" type="submit" isPending={isPending} isDisabled={reason.trim() === ''}>
              Reject
            </Button>
            <Button look="quiet" onPress={() => setMode(null)}>
              Back
            </Button>
          </div>
        </form>
      ) : (
        <>
          <Checkbox isSelected={withNext} onChange={setWithNext}>
            Also let the next {NEXT} posts of <bdi>{approval.requestedBy.name}</bdi> go out today
          </Checkbox>
          <div className="actions">
            <Button look="primary" isPending={isPending} isDisabled={text.trim() === ''} onPress={approveIt}>
              {text.trim() === content.text ? 'Approve' : 'Approve the changed text'}
            </Button>
            {mode === null && <Button onPress={() => setMode('change')}>Change the text</Button>}
            <Button onPress={() => setMode('reject')} aria-label={`Reject post ${postId}`}>
              Reject…
            </Button>
          </div>
        </>
      )}
      {error !== null && <ProblemView failure={error} />}
    </>
  );
}

function useDecision({ postId, approval: { requestedAt } }: Request) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { refreshPosts } = useLists();
  const onSettled = async () => {
    await queryClient.invalidateQueries(trpc.approvals.pathFilter());
    await queryClient.invalidateQueries(trpc.posts.get.queryFilter({ postId }));
    await refreshPosts();
  };
  const approval = useMutation(
    trpc.approvals.approve.mutationOptions({
      onSuccess: ({ result }) =>
        toast(result.error === null ? `The post is approved and ${result.status}.` : result.error.message),
      onSettled,
    }),
  );
  const rejection = useMutation(
    trpc.approvals.reject.mutationOptions({ onSuccess: () => toast('The post is rejected.'), onSettled }),
  );
  return {
    approve: (changes: Omit<Parameters<typeof approval.mutate>[0], 'postId'>) =>
      approval.mutate({ postId, requestedAt, ...changes }),
    reject: (reason: string) => rejection.mutate({ postId, requestedAt, reason }),
    isPending: approval.isPending || rejection.isPending,
    isDone: approval.isSuccess || rejection.isSuccess,
    error: approval.error ?? rejection.error,
  };
}

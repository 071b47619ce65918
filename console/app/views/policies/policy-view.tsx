/** The policy of a key or agent: what it may send without a person, and what rules would have done to its recent posts. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useKeys } from '../../data/keys.ts';
import { codeOf } from '../../data/problem.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { useEdits } from '../../data/use-edits.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useSession } from '../../shell/session-context.ts';
import { useTitle } from '../../shell/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Link } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import { emptyForm, formOf, namedIn, rulesOf } from './policy-form.ts';
import { RuleFields } from './rule-fields.tsx';

type Policy = Outputs['policies']['get']['policy'];
type Trial = Outputs['policies']['try'];

const route = getRouteApi('/policies/$policyId');

export function PolicyView() {
  const { policyId } = route.useParams();
  const name = useName(policyId);
  useTitle('Policy');
  const query = useQuery(
    useTRPC().policies.get.queryOptions(
      { policyId },
      { retry: (count, failure) => count < 2 && codeOf(failure) !== 'not_found' },
    ),
  );
  // Without a policy, the form begins empty.
  const isMissing = query.data === undefined && query.error !== null && codeOf(query.error) === 'not_found';
  return (
    <>
      <h1>
        Policy of <bdi>{name ?? query.data?.policy.name ?? 'a key or agent'}</bdi>
      </h1>
      <p>
        What it, and every key that it creates, may send without a person. A post beyond it is refused, with the rule
        and the time from when it is allowed, or waits under{' '}
        <Link to="/approvals" className="link">
          Approvals
        </Link>
        .
      </p>
      <Refusal of="owner" />
      {/* One place with and without a policy, so that the first save leaves the focus where it is. */}
      {(isMissing || query.data !== undefined) && (
        <PolicyForm policyId={policyId} policy={query.data?.policy ?? null} />
      )}
      {!isMissing && (
        <QueryView what="the policy" query={query}>
          {() => null}
        </QueryView>
      )}
    </>
  );
}

/** Name of the key or agent, also before it has a policy. */
function useName(policyId: string): string | undefined {
  const trpc = useTRPC();
  const isPerson = useSession().kind === 'person';
  const keys = useKeys();
  const grants = useQuery(trpc.people.listGrants.queryOptions({}, { enabled: isPerson })).data?.grants ?? [];
  return keys.find(({ id }) => id === policyId)?.name ?? grants.find(({ id }) => id === policyId)?.clientName;
}

function PolicyForm({ policyId, policy }: { policyId: string; policy: Policy | null }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { fields: form, change, settle } = useEdits(policy === null ? emptyForm : formOf(policy.rules));
  const [isRemoving, setRemoving] = useState(false);
  const onSettled = async () => {
    await queryClient.invalidateQueries(trpc.policies.pathFilter());
    await queryClient.invalidateQueries(trpc.keys.pathFilter());
    await queryClient.invalidateQueries(trpc.people.listGrants.pathFilter());
  };
  const saving = useMutation(
    trpc.policies.set.mutationOptions({
      onSuccess: (answer) => {
        queryClient.setQueryData(trpc.policies.get.queryKey({ policyId }), answer);
        toast('The policy is in force.');
      },
      onSettled,
    }),
  );
  const removing = useMutation(
    trpc.policies.remove.mutationOptions({
      onSuccess: () => {
        queryClient.removeQueries(trpc.policies.get.queryFilter({ policyId }));
        toast('The policy is removed.');
      },
      onSettled,
    }),
  );
  const trying = useMutation(trpc.policies.try.mutationOptions());
  const wanted = { policyId, ...rulesOf(form) };
  // A trial says nothing about rules that have changed since.
  const trial = JSON.stringify(trying.variables) === JSON.stringify(wanted) ? trying.data : undefined;
  return (
    <Allowed to="owner">
      {policy !== null && (
        <p className="hint">
          {policy.postsLastHour} {policy.postsLastHour === 1 ? 'post' : 'posts'} in the last 60 minutes,{' '}
          {policy.postsLastDay} in the last 24 hours. Changed <Moment at={policy.changedAt} /> by{' '}
          <bdi>{policy.changedBy.name}</bdi>.
        </p>
      )}
      <RuleFields form={form} named={policy === null ? [] : namedIn(policy)} onChange={change} />
      <div className="actions">
        <Button
          look="primary"
          isPending={saving.isPending}
          onPress={() => saving.mutate(wanted, { onSuccess: settle })}
        >
          Save
        </Button>
        <Button isPending={trying.isPending} onPress={() => trying.mutate(wanted)}>
          Try on recent posts
        </Button>
        {policy !== null && (
          <Button isPending={removing.isPending} onPress={() => setRemoving(true)}>
            Remove
          </Button>
        )}
      </div>
      {[saving, trying, removing].map(
        ({ error }) => error !== null && <ProblemView key={error.message} failure={error} />,
      )}
      {trial !== undefined && <TrialPanel trial={trial} />}
      <ConfirmDialog
        isOpen={isRemoving}
        title="Remove the policy?"
        action="Remove"
        onConfirm={() => removing.mutate({ policyId })}
        onClose={() => setRemoving(false)}
      >
        <p>From then on it sends without these rules, as do the keys that it created.</p>
      </ConfirmDialog>
    </Allowed>
  );
}

function TrialPanel({ trial: { posts, stopped } }: { trial: Trial }) {
  return (
    <Panel title="What these rules would have done">
      <p role="status">
        {posts === 0
          ? 'It has sent and scheduled nothing in the last 30 days.'
          : `Of its last ${posts} ${posts === 1 ? 'post' : 'posts'}, ${stopped.length} would have been stopped.`}
      </p>
      <ul className="rows">
        {stopped.map(({ postId, connectionSlug, at, text, rules }) => (
          <li key={postId}>
            <p>
              <Link to="/posts/$postId" params={{ postId }} className="link">
                <bdi>{text.length > 80 ? `${text.slice(0, 80)}…` : text}</bdi>
              </Link>{' '}
              <span className="soft">
                {connectionSlug}, <Moment at={at} />
              </span>
            </p>
            {rules.map(({ rule, effect, message }) => (
              <p key={rule} className="hint">
                {effect === 'refused' ? 'Refused' : 'Waits for a person'}: <bdi>{message}</bdi>
              </p>
            ))}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Agents: the programs that people have allowed to act for them, and how to connect another. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { useSession } from '../../shell/session-context.ts';
import { StopButton } from '../../shell/stop-button.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Bot } from '../../ui/view-icons.tsx';
import { Link, ServerLink } from '../../ui/link.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { toast } from '../../ui/toasts.tsx';
import { ConnectAgent } from './connect-agent.tsx';

type Grant = Outputs['people']['listGrants']['grants'][number];

export function AgentsView() {
  useTitle('Agents');
  const session = useSession();
  return (
    <>
      <h1>Agents</h1>
      {session.kind === 'person' ? (
        <Grants />
      ) : (
        <EmptyState icon={Bot} title="Sign in to see agents">
          People allow agents to act for them, so a key does not see them.{' '}
          <ServerLink href="/sign-in">Sign in</ServerLink>
        </EmptyState>
      )}
    </>
  );
}

function Grants() {
  const query = useInfiniteQuery(
    useTRPC().people.listGrants.infiniteQueryOptions(
      {},
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  return (
    <QueryView what="the agents" query={query}>
      {({ pages }) => (
        <>
          <Panel title="Allowed to act">
            {pages[0]?.grants.length === 0 ? (
              <EmptyState icon={Bot} title="No program may act for you">
                An agent, such as an assistant that speaks MCP, asks you in the browser what it may do. It then appears
                here.
              </EmptyState>
            ) : (
              <ul className="rows">
                {listed(pages).map((grant) => (
                  <GrantRow key={grant.id} grant={grant} />
                ))}
              </ul>
            )}
            <ShowMore what="agents" query={query} />
          </Panel>
          <ConnectAgent mcpUrl={pages[0]?.mcpUrl ?? ''} />
        </>
      )}
    </QueryView>
  );
}

/** Each grant once: one that was used between two pages can be on both. */
function listed(pages: readonly { readonly grants: readonly Grant[] }[]): readonly Grant[] {
  return [...new Map(pages.flatMap(({ grants }) => grants).map((grant) => [grant.id, grant])).values()];
}

function GrantRow({ grant }: { grant: Grant }) {
  const {
    id,
    clientName,
    redirectHost,
    scopes,
    profile,
    mode,
    approval,
    policyId,
    givenBy,
    isOwn,
    createdAt,
    lastUsedAt,
  } = grant;
  return (
    <li className="row-with-action">
      <div>
        <p>
          <b dir="auto">{clientName}</b> {mode === 'test' && <span className="badge">test mode only</span>}{' '}
          {approval === 'required' && <span className="badge">asks first</span>}{' '}
          {policyId !== null && <span className="badge">has a policy</span>}
        </p>
        <p className="hint">
          Reaches{' '}
          {profile === null ? (
            'the whole account'
          ) : (
            <Link to="/profiles/$profileId" params={{ profileId: profile.id }} className="link">
              <bdi>{profile.name}</bdi>
            </Link>
          )}
          , limited to {scopes.join(', ')}. Its answers go to <bdi>{redirectHost}</bdi>.
        </p>
        <p className="hint">
          Allowed by <bdi>{isOwn ? 'you' : givenBy}</bdi> <QuietMoment at={createdAt} />.{' '}
          {lastUsedAt === null ? (
            'Never used.'
          ) : (
            <>
              Last used <QuietMoment at={lastUsedAt} />.
            </>
          )}{' '}
          <Link
            to="/activity"
            search={{ actorKind: 'oauth_client' }}
            className="link"
            aria-label={`Activity of agents such as ${clientName}`}
          >
            Activity
          </Link>
          {', '}
          <Link
            to="/policies/$policyId"
            params={{ policyId: id }}
            className="link"
            aria-label={`Policy of ${clientName}`}
          >
            Policy
          </Link>
        </p>
      </div>
      <div className="actions">
        <StopButton name={clientName} target={{ grantId: id }} />
        <Revoke grantId={id} clientName={clientName} />
      </div>
    </li>
  );
}

function Revoke({ grantId, clientName }: { grantId: string; clientName: string }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const revocation = useMutation(
    trpc.people.revokeGrant.mutationOptions({
      onSuccess: () => toast(`${clientName} may no longer act for you.`),
      onSettled: () => queryClient.invalidateQueries(trpc.people.listGrants.pathFilter()),
    }),
  );
  return (
    <div>
      <Button aria-label={`Revoke ${clientName}`} isPending={revocation.isPending} onPress={() => setAsking(true)}>
        Revoke
      </Button>
      {revocation.error !== null && <ProblemView failure={revocation.error} />}
      <ConfirmDialog
        isOpen={isAsking}
        title={`Revoke ${clientName}?`}
        action="Revoke"
        onConfirm={() => revocation.mutate({ grantId })}
        onClose={() => setAsking(false)}
      >
        <p>Its access ends at once, with the API keys and webhooks that it created. It can ask you again.</p>
      </ConfirmDialog>
    </div>
  );
}

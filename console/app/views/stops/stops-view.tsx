/** Stops: what keeps posts from going out, and the button that stops everything or a part. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useKeys } from '../../data/keys.ts';
import { useProfiles } from '../../data/profiles.ts';
import { useRefreshStops } from '../../data/stops.ts';
import { type Inputs, type Outputs, useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useSession } from '../../shell/session-context.ts';
import { useTitle } from '../../shell/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toasts.tsx';

type Stop = Outputs['stops']['list']['stops'][number];

/** What can be stopped. */
interface Target {
  readonly value: string;
  readonly label: string;
  readonly input: Inputs['stops']['start'];
}

/** A choice cannot have an empty value. */
const EVERYTHING: Target = { value: '*', label: 'Everything of the account', input: {} };

const ALL = 100;

export function StopsView() {
  useTitle('Stops');
  const query = useQuery(useTRPC().stops.list.queryOptions({ limit: ALL }));
  return (
    <>
      <h1>Stops</h1>
      <Refusal of="owner" />
      <QueryView what="the stops" query={query}>
        {({ stops }) => (
          <>
            {stops.map((stop) => (
              <ActiveStop key={stop.id} stop={stop} />
            ))}
            {stops.length === 0 && <p>Nothing is stopped.</p>}
          </>
        )}
      </QueryView>
      <Allowed to="owner">
        <NewStop />
      </Allowed>
    </>
  );
}

/** Names of what can be stopped, by kind and id. */
function useTargets(): readonly Target[] {
  const trpc = useTRPC();
  const isPerson = useSession().kind === 'person';
  const profiles = useProfiles().data?.profiles ?? [];
  const keys = useKeys();
  const grants = useQuery(trpc.people.listGrants.queryOptions({}, { enabled: isPerson })).data?.grants ?? [];
  return [
    EVERYTHING,
    ...grants.map(({ id, clientName }) => ({ value: id, label: `The agent ${clientName}`, input: { grantId: id } })),
    ...keys.map(({ id, name }) => ({ value: id, label: `The key ${name}`, input: { keyId: id } })),
    ...profiles.map(({ id, name }) => ({ value: id, label: `The profile ${name}`, input: { profileId: id } })),
  ];
}

function NewStop() {
  const [target, setTarget] = useState(EVERYTHING);
  const [reason, setReason] = useState('');
  const targets = useTargets();
  // What was revoked or deleted meanwhile stays chosen. Another choice in its place could stop the whole account.
  const choices = targets.some(({ value }) => value === target.value) ? targets : [...targets, target];
  const choose = (chosen: string) => setTarget(choices.find(({ value }) => value === chosen) ?? target);
  const onSettled = useRefreshStops();
  const stopping = useMutation(
    useTRPC().stops.start.mutationOptions({
      onSuccess: ({ stop }) =>
        toast(`Stopped. ${stop.held} scheduled ${stop.held === 1 ? 'post is' : 'posts are'} held.`),
      onSettled,
    }),
  );
  return (
    <Panel title="Stop sending">
      <p>Nothing new goes out, what is being sent is finished, and scheduled posts are held until you release them.</p>
      <Select label="What" value={target.value} choices={choices} onChange={choose} />
      <TextField
        label="Reason"
        maxLength={500}
        dir="auto"
        hint="Programs and agents read it in the errors of their posts."
        value={reason}
        onChange={setReason}
      />
      <Button
        look="danger"
        isPending={stopping.isPending}
        onPress={() => stopping.mutate({ ...target.input, ...(reason.trim() !== '' && { reason: reason.trim() }) })}
      >
        Stop now
      </Button>
      {stopping.error !== null && <ProblemView failure={stopping.error} />}
    </Panel>
  );
}

const KINDS: Readonly<Record<Stop['kind'], string>> = {
  account: 'Everything of the account',
  profile: 'The profile',
  key: 'The key',
  grant: 'The agent',
};

function ActiveStop({ stop }: { stop: Stop }) {
  const what = [KINDS[stop.kind], ...(stop.targetName === null ? [] : [stop.targetName])].join(' ');
  const [isDropping, setDropping] = useState(false);
  const onSettled = useRefreshStops();
  const releasing = useMutation(
    useTRPC().stops.release.mutationOptions({
      onSuccess: (_answer, { posts }) =>
        toast(posts === 'drop' ? 'Released, and the held posts are cancelled.' : 'Released. The held posts go on.'),
      onSettled,
    }),
  );
  return (
    <Panel title={`${what} is stopped`}>
      <p>
        Since <Moment at={stop.startedAt} />, by <bdi>{stop.startedBy.name}</bdi>
        {stop.reason !== null && (
          <>
            : <bdi>{stop.reason}</bdi>
          </>
        )}
        .
      </p>
      {stop.targetEndedAt !== null && (
        <p>
          {stop.kind === 'profile' ? 'It was deleted' : 'It was revoked'} <Moment at={stop.targetEndedAt} />. What it
          had scheduled, and what keys that it created send, is stopped.
        </p>
      )}
      <p>
        {stop.held} scheduled {stop.held === 1 ? 'post is' : 'posts are'} held
        {stop.sending > 0 && `, and ${stop.sending} are still being sent`}.
      </p>
      <Allowed to="owner">
        <div className="actions">
          <Button
            look="primary"
            isPending={releasing.isPending}
            onPress={() => releasing.mutate({ stopId: stop.id, posts: 'send' })}
          >
            Release
          </Button>
          <Button isPending={releasing.isPending} onPress={() => setDropping(true)}>
            Release and cancel the held posts
          </Button>
        </div>
        {releasing.error !== null && <ProblemView failure={releasing.error} />}
        <ConfirmDialog
          isOpen={isDropping}
          title="Cancel the held posts?"
          action="Cancel them"
          onConfirm={() => releasing.mutate({ stopId: stop.id, posts: 'drop' })}
          onClose={() => setDropping(false)}
        >
          <p>
            {stop.held} scheduled {stop.held === 1 ? 'post' : 'posts'} will not go out. This cannot be undone.
          </p>
        </ConfirmDialog>
      </Allowed>
    </Panel>
  );
}

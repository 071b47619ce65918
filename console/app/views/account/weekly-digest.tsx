/** Whether the owner gets the weekly digest, and where its Monday begins. The link in the mail asks before it turns it off. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Inputs, type Outputs, useTRPC } from '../../data/trpc.ts';
import { ZoneSelect } from '../../filters/zone-select.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ZONE } from '../../ui/times.ts';
import { toast } from '../../ui/toasts.tsx';

type Digest = Outputs['people']['getDigest']['digest'];
type Change = Inputs['people']['changeDigest'];

const route = getRouteApi('/account');

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function WeeklyDigest() {
  const query = useQuery(useTRPC().people.getDigest.queryOptions({}));
  return (
    <Panel title="Weekly digest">
      <p className="hint">
        A mail each Monday at 08:00 says what each agent and key did in the week. After a week in which none did
        anything, there is none.
      </p>
      <QueryView what="the weekly digest" query={query}>
        {({ digest }) => <Setting digest={digest} />}
      </QueryView>
    </Panel>
  );
}

function Setting({ digest: { isOn, timezone, nextAt } }: { digest: Digest }) {
  const { digest: wanted } = route.useSearch();
  const navigate = useNavigate({ from: '/account' });
  const { change, error } = useChange();
  // Nothing is left to ask, also when the digest is turned on later.
  const isDone = wanted === 'off' && !isOn;
  useEffect(() => {
    if (isDone) void navigate({ search: {}, replace: true, resetScroll: false });
  }, [isDone, navigate]);
  return (
    <>
      <Checkbox
        isSelected={isOn}
        onChange={(on) => change({ isOn: on }, on ? 'The weekly digest is on.' : 'The weekly digest is off.')}
      >
        Mail me the weekly digest
      </Checkbox>
      <ZoneSelect
        zone={timezone}
        onChange={(zone) => change({ timezone: zone ?? ZONE }, 'The time zone of the digest is changed.')}
      />
      {nextAt !== null && (
        <p className="hint">
          The next one: <Moment at={nextAt} />.
        </p>
      )}
      {isOn && nextAt === null && <p className="hint">This install sends no mail: its operator sets SMTP_URL.</p>}
      {error !== null && <ProblemView failure={error} />}
      <ConfirmDialog
        isOpen={wanted === 'off' && isOn}
        title="Turn the weekly digest off?"
        action="Turn it off"
        onConfirm={() => change({ isOn: false }, 'The weekly digest is off.')}
        onClose={() => void navigate({ search: {}, replace: true })}
      >
        <p>You get no more mails about what agents and keys did. You can turn it on again here.</p>
      </ConfirmDialog>
    </>
  );
}

function useChange() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { mutate, error } = useMutation(
    trpc.people.changeDigest.mutationOptions({
      onSettled: () => void queryClient.invalidateQueries(trpc.people.getDigest.pathFilter()),
    }),
  );
  const change = (fields: Change, words: string) => mutate(fields, { onSuccess: () => toast(words) });
  return { change, error };
}

/** Calendar addresses: private addresses at which calendar applications read posts and free slots. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useConnections } from '../../data/connections.ts';
import { useProfileNames } from '../../data/profiles.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ServerLink } from '../../ui/link.tsx';
import { Loading } from '../../ui/loading.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import { CalendarDays } from '../../ui/view-icons.tsx';
import { PlacesHead } from './places.tsx';

const CalendarForm = lazy(() => import('./calendar-form.tsx'));

type Calendar = Outputs['calendars']['list']['calendars'][number];
type NewCalendar = Outputs['calendars']['create']['calendar'];

export function CalendarsView() {
  const [made, setMade] = useState<NewCalendar | null>(null);
  const query = useQuery(useTRPC().calendars.list.queryOptions({}));
  return (
    <>
      <PlacesHead title="Calendar addresses" />
      {made !== null && <NewAddress key={made.url} calendar={made} onClose={() => setMade(null)} />}
      <Panel title="Calendar addresses">
        <QueryView what="the calendar addresses" query={query}>
          {({ calendars }) =>
            calendars.length === 0 ? (
              <EmptyState icon={CalendarDays} title="No calendar address yet">
                With one, Google Calendar, Outlook, Apple Calendar and others show what goes out, what went out and the
                free slots. Make the first one below.
              </EmptyState>
            ) : (
              <ul className="rows" aria-label="Calendar addresses, newest first">
                {calendars.map((calendar) => (
                  <CalendarRow
                    key={calendar.id}
                    calendar={calendar}
                    onRenewed={setMade}
                    onRevoked={() => setMade((shown) => (shown?.id === calendar.id ? null : shown))}
                  />
                ))}
              </ul>
            )
          }
        </QueryView>
      </Panel>
      <Refusal of="posts:write" />
      <Allowed to="posts:write">
        <Suspense fallback={<Loading what="the fields" />}>
          <CalendarForm onMade={setMade} />
        </Suspense>
      </Allowed>
    </>
  );
}

/** The address, which the service shows once: after it was made, and after it was renewed. */
function NewAddress({ calendar: { name, url }, onClose }: { calendar: NewCalendar; onClose(): void }) {
  return (
    <Panel title={`Address of ${name}`}>
      <CopyField
        label="Address"
        value={url}
        hint="It is shown this once. If it is lost, renew it. Who has it reads the posts without a sign-in: give it only to people who may."
      />
      <p>
        In a calendar application, add a calendar “from URL” and paste it. Or open it on this device:{' '}
        <ServerLink href={url.replace(/^https?:/, 'webcal:')}>Subscribe</ServerLink>
      </p>
      <Button onPress={onClose}>I have stored it</Button>
    </Panel>
  );
}

interface CalendarRowProps {
  readonly calendar: Calendar;
  onRenewed(calendar: NewCalendar): void;
  onRevoked(): void;
}

function CalendarRow({ calendar, onRenewed, onRevoked }: CalendarRowProps) {
  const { id: calendarId, name, createdAt, renewedAt, freeSlots } = calendar;
  const [asked, setAsked] = useState<'renew' | 'revoke' | null>(null);
  const { renewal, revocation } = useChanges(onRenewed, onRevoked);
  const failure = renewal.error ?? revocation.error;
  return (
    <li>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>
      </p>
      <p>
        Shows <Extent calendar={calendar} />
        {freeSlots ? ', with free slots' : ', without free slots'}.
      </p>
      <p className="hint">
        Made <QuietMoment at={createdAt} />
        {renewedAt !== createdAt && (
          <>
            , renewed <QuietMoment at={renewedAt} />
          </>
        )}
      </p>
      <Allowed to="posts:write">
        <div className="actions">
          <Button
            aria-label={`Renew the address of ${name}`}
            isPending={renewal.isPending}
            onPress={() => setAsked('renew')}
          >
            Renew
          </Button>
          <Button
            look="danger"
            aria-label={`Revoke the address of ${name}`}
            isPending={revocation.isPending}
            onPress={() => setAsked('revoke')}
          >
            Revoke
          </Button>
        </div>
      </Allowed>
      {failure !== null && <ProblemView failure={failure} />}
      <ConfirmDialog
        isOpen={asked === 'renew'}
        title="Renew the address?"
        action="Renew"
        onConfirm={() => renewal.mutate({ calendarId })}
        onClose={() => setAsked(null)}
      >
        <p>
          <bdi>{name}</bdi> gets a new address. The present one stops working at once, for everyone who subscribes to
          it.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === 'revoke'}
        title="Revoke the address?"
        action="Revoke"
        onConfirm={() => revocation.mutate({ calendarId })}
        onClose={() => setAsked(null)}
      >
        <p>
          The address of <bdi>{name}</bdi> stops working at once, for everyone who subscribes to it. Posts and queues
          stay. This cannot be undone.
        </p>
      </ConfirmDialog>
    </li>
  );
}

function Extent({ calendar: { profileId, connectionId, mode } }: { calendar: Calendar }) {
  const profileName = useProfileNames();
  const slug = useConnections().data?.connections.find(({ id }) => id === connectionId)?.slug;
  const posts = mode === 'test' ? 'test posts' : 'posts';
  if (connectionId !== null) {
    return (
      <>
        the {posts} of {slug === undefined ? 'a connection that is gone' : <bdi>{slug}</bdi>}
      </>
    );
  }
  if (profileId === null) return `all ${posts} of the account`;
  return (
    <>
      the {posts} of <bdi>{profileName(profileId)}</bdi>
    </>
  );
}

function useChanges(onRenewed: CalendarRowProps['onRenewed'], onRevoked: CalendarRowProps['onRevoked']) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const onSettled = () => queryClient.invalidateQueries(trpc.calendars.pathFilter());
  const renewal = useMutation(
    trpc.calendars.renew.mutationOptions({ onSuccess: ({ calendar }) => onRenewed(calendar), onSettled }),
  );
  const revocation = useMutation(
    trpc.calendars.revoke.mutationOptions({
      onSuccess: () => {
        onRevoked();
        toast('The address is revoked.');
      },
      onSettled,
    }),
  );
  return { renewal, revocation };
}

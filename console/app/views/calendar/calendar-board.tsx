/** The days of the calendar with what is in them, and the actions of their parts. */
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Connection } from '../../data/connections.ts';
import type { Changes, ConnectionSearch } from '../../filters/connection-search.ts';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { useNow } from '../../ui/moment.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { useIsPrinting } from '../../ui/use-is-printing.ts';
import { addDays, type Day, wallAt } from '../../ui/zoned.ts';
import { composeAt } from '../compose/search.ts';
import { pressedTo } from '../queues/moves.ts';
import { useMove } from '../queues/use-move.ts';
import { type CalendarActions, CalendarContext, type Step } from './calendar-context.ts';
import { MonthDay, WeekDay } from './day-cell.tsx';
import { inOrder, type PostEntry, postEntriesIn, slotEntries } from './entries.ts';
import { movableOf } from './movable.ts';
import { type DropPlace, onDay, targetOf } from './places.ts';
import type { CalendarSearch } from './search.ts';
import { POSTS_MAX, useCalendarPosts } from './use-calendar-posts.ts';

// Most visits move nothing.
const EntrySheet = lazy(() => import('./entry-sheet.tsx'));

const HOUR_MS = 3_600_000;

export interface CalendarBoardProps {
  readonly search: CalendarSearch;
  readonly zone: string;
  readonly days: readonly Day[];
  /** Such as 2026-03; null in a week. */
  readonly month: string | null;
  readonly connections: readonly Connection[];
}

export function CalendarBoard({ search, zone, days, month, connections }: CalendarBoardProps) {
  const navigate = useNavigate();
  const now = useNow();
  const reading = useCalendarPosts(search, zone, days);
  const { query, isCut } = reading;
  const { entries, list, isBusy } = useEntries({ search, zone, now, connections, reading });
  const { move, nudge, error } = useMove(zone);
  const [opened, setOpened] = useState<PostEntry | null>(null);
  // The post as it is now: it may change while its dialog is open.
  const present = list.find((one): one is PostEntry => one.kind === 'post' && one.post.id === opened?.post.id);
  const keepFocus = useFocusAfterMove();

  const compose = (instant: number, targets: readonly string[] = []) => {
    void navigate({ to: '/compose', search: composeAt(instant, targets) });
  };
  const dropAt = (postId: string, place: DropPlace) => {
    const entry = list.find((one): one is PostEntry => one.kind === 'post' && one.post.id === postId);
    const to = entry && targetOf(entry, place, zone);
    if (entry !== undefined && to !== undefined && to !== entry.instant) move(movableOf(entry), to);
  };
  const step = (entry: PostEntry, { days: count, hours }: Step) => {
    // A second press may come before the first one is drawn.
    const instant = pressedTo(entry.post.id) ?? entry.instant;
    const day = addDays(wallAt(instant, zone).day, count);
    keepFocus(entry.post.id);
    nudge(movableOf(entry), hours === 0 ? onDay(instant, day, zone) : instant + hours * HOUR_MS);
  };
  const wanted = connections.filter(isIn(search));
  // Slugs are unique only within a profile.
  const targets = search.connection !== undefined && wanted.length === 1 ? wanted.map(({ id }) => id) : [];
  const actions: CalendarActions = {
    zone,
    now,
    isPrinting: useIsPrinting(),
    targets,
    compose,
    dropAt,
    nudge: step,
    open: setOpened,
  };
  const isUnread = query.error !== null && query.data === undefined;

  return (
    <CalendarContext value={actions}>
      {error !== null && <ProblemView failure={error} />}
      {isUnread && (
        <ProblemView failure={query.error} action={<Button onPress={() => void query.refetch()}>Try again</Button>} />
      )}
      {query.isFetchNextPageError && (
        <ProblemView
          failure={query.error}
          action={<Button onPress={() => void query.fetchNextPage()}>Read the other posts</Button>}
        />
      )}
      {/* Days that move down while a post is dragged would take it at another time. */}
      <div className="calendar-loading">{query.data === undefined && !isUnread && <Loading what="posts" />}</div>
      {isCut && (
        <p className="hint">
          These are the first {POSTS_MAX.toLocaleString()} posts. Choose a week or a filter to see the others.
        </p>
      )}
      <ol className={month === null ? 'calendar calendar-week' : 'calendar'} aria-label="Days" aria-busy={isBusy}>
        {days.map((day) =>
          month === null ? (
            <WeekDay key={day} day={day} entries={entries.get(day) ?? []} />
          ) : (
            <MonthDay key={day} day={day} entries={entries.get(day) ?? []} isOutside={!day.startsWith(month)} />
          ),
        )}
      </ol>
      {opened !== null && (
        <Suspense>
          <EntrySheet
            entry={present ?? opened}
            isGone={present === undefined}
            zone={zone}
            connection={connections.find(({ id }) => id === opened.post.connectionId)}
            now={now}
            onMove={(to) => {
              setOpened(null);
              if (present !== undefined) move(movableOf(present), to);
            }}
            onClose={() => setOpened(null)}
          />
        </Suspense>
      )}
    </CalendarContext>
  );
}

/** Whether the filters choose a connection. */
const isIn =
  ({ connection, platform, profileId }: Changes<ConnectionSearch>) =>
  (one: Connection): boolean =>
    (connection === undefined || connection === one.slug) &&
    (platform === undefined || platform === one.platformId) &&
    (profileId === undefined || profileId === one.profileId);

interface EntriesInput {
  readonly search: CalendarSearch;
  readonly zone: string;
  readonly now: number;
  readonly connections: readonly Connection[];
  readonly reading: ReturnType<typeof useCalendarPosts>;
}

function useEntries({ search, zone, now, connections, reading: { query, posts, isCut } }: EntriesInput) {
  const { connection, platform, profileId, tag } = search;
  const withSlots = useMemo(
    () =>
      // Posts without the tag are not shown, and their slots would seem free.
      tag !== undefined
        ? []
        : connections.filter(isIn({ connection, platform, profileId })).filter((one) => one.queueSlots.length > 0),
    [connections, connection, platform, profileId, tag],
  );
  // Free slots show once it is known which are taken.
  const isWhole = query.data !== undefined && !query.hasNextPage;
  const entriesOf = useMemo(() => postEntriesIn(zone), [zone]);
  const ofPosts = useMemo(() => entriesOf(posts), [entriesOf, posts]);
  const list = useMemo(
    () => inOrder([...ofPosts, ...(isWhole ? slotEntries(withSlots, ofPosts, zone, now) : [])]),
    [ofPosts, isWhole, withSlots, zone, now],
  );
  const entries = useMemo(() => Map.groupBy(list, ({ wall }) => wall.day), [list]);
  return { entries, list, isBusy: !isWhole && !isCut };
}

/** The post that moves is drawn in another day: the focus goes along. */
function useFocusAfterMove() {
  const moved = useRef<string | null>(null);
  // Before the next key press, which would go to the page.
  useLayoutEffect(() => {
    if (moved.current === null) return;
    const element = document.getElementById(`entry-${moved.current}`);
    if (element === null || document.activeElement !== document.body) return;
    moved.current = null;
    element.focus();
  });
  return (postId: string) => {
    moved.current = postId;
  };
}

/** The week that is shown: first of the answer, then of other calls when the host makes them. */
import { useState } from 'react';
import type { Inputs, Outputs } from '../../data/api-types.ts';
import { addDays, type Day, endOf, instantOf, isDay, wallAt, weekOf } from '../../ui/zoned.ts';
import { answerOf, wordsOf } from '../answer.ts';
import type { ChatViewProps } from '../mount.tsx';

/** The answer of `list_calendar`. */
export type CalendarAnswer = Outputs['posts']['calendar'];
export type CalendarPost = CalendarAnswer['posts'][number];

const DAY_MS = 86_400_000;

interface Reading {
  /** The first and the last day that are read, in the person's zone. */
  readonly from: Day;
  readonly to: Day;
  readonly answer: CalendarAnswer;
}

export interface Week {
  /** The days of the week that are read. */
  readonly days: readonly Day[];
  readonly posts: readonly CalendarPost[];
  /** Whether the range has more posts than the answer. */
  readonly isCut: boolean;
  readonly isReading: boolean;
  readonly failure: string | null;
  /** Undefined when the week before cannot be shown. */
  readonly earlier: (() => void) | undefined;
  readonly later: (() => void) | undefined;
}

export function useWeek({ answer, input, host, state, zone }: ChatViewProps<CalendarAnswer>): Week {
  const [reading, setReading] = useState<Reading>(() => ({ ...rangeOf(answer, input, zone), answer }));
  const [monday, setMonday] = useState(() => weekOf(reading.from)[0] ?? reading.from);
  const [isReading, setIsReading] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);

  const read = async (first: Day) => {
    const last = addDays(first, 6);
    const week: Partial<Inputs['posts']['calendar']> = {
      from: new Date(instantOf({ day: first, time: '00:00' }, zone)).toISOString(),
      to: new Date(endOf(last, zone)).toISOString(),
    };
    // The filters of the first call go on; its cursor belongs to its range.
    const { cursor: _cursor, limit: _limit, ...filters } = input;
    setIsReading(true);
    try {
      const result = await host.callTool('list_calendar', { ...filters, ...week });
      const next = answerOf(result) as CalendarAnswer | null;
      setFailure(next === null ? wordsOf(result) : null);
      if (next === null) return;
      setReading({ from: first, to: last, answer: next });
      setMonday(first);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setIsReading(false);
    }
  };
  const stepTo = (first: Day) => {
    const last = addDays(first, 6);
    const show = () => setMonday(first);
    if (first >= reading.from && last <= reading.to) return show;
    if (state.canCallTools) return isReading ? undefined : () => void read(first);
    return first <= reading.to && last >= reading.from ? show : undefined;
  };
  return {
    // Of other days the answer says nothing.
    days: weekOf(monday).filter((day) => day >= reading.from && day <= reading.to),
    posts: reading.answer.posts,
    isCut: reading.answer.nextCursor !== null,
    isReading,
    failure,
    earlier: stepTo(addDays(monday, -7)),
    later: stepTo(addDays(monday, 7)),
  };
}

/** The days that the call asked for; without arguments those that have posts. */
function rangeOf({ posts }: CalendarAnswer, { from, to }: ChatViewProps<CalendarAnswer>['input'], zone: string) {
  const dayOf = (moment: unknown, ends: boolean, other: string | undefined): Day => {
    const text = typeof moment === 'string' ? moment : (other ?? '');
    // A day of the call is one of UTC.
    const instant = Date.parse(text) + (ends && isDay(text) ? DAY_MS - 1 : 0);
    return wallAt(Number.isNaN(instant) ? Date.now() : instant, zone).day;
  };
  return { from: dayOf(from, false, posts[0]?.at), to: dayOf(to, true, posts.at(-1)?.at) };
}

/** What the parts of the calendar share: its zone, the present, and what a person can do with a post. */
import { createContext, useContext } from 'react';
import type { PostEntry } from './entries.ts';
import type { DropPlace } from './places.ts';

export interface CalendarActions {
  readonly zone: string;
  readonly now: number;
  /** On paper, all entries of a day are shown. */
  readonly isPrinting: boolean;
  /** Id of the connection that the calendar is filtered by, for new posts. */
  readonly targets: readonly string[];
  /** Moves a post that was dragged here. */
  dropAt(postId: string, place: DropPlace): void;
  /** Moves a post by a step of the keyboard. */
  nudge(entry: PostEntry, step: Step): void;
  open(entry: PostEntry): void;
  compose(instant: number, targets?: readonly string[]): void;
}

export interface Step {
  readonly days: number;
  readonly hours: number;
}

const Context = createContext<CalendarActions | null>(null);

export const CalendarContext = Context.Provider;

export function useCalendar(): CalendarActions {
  const actions = useContext(Context);
  if (actions === null) throw new Error('This part is shown inside the calendar only.');
  return actions;
}

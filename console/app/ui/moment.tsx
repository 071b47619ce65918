/** A time relative to now. Hover, focus or a press shows the exact one. */
import { useState, useSyncExternalStore } from 'react';
import { Button } from 'react-aria-components/Button';
import { Tooltip, TooltipTrigger } from 'react-aria-components/Tooltip';
import { exactTime, relativeTime } from './times.ts';

/** How often relative times are written anew. */
const TICK_MS = 20_000;

let now = Date.now();
const readers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const read of readers) read();
  }, TICK_MS);
  return () => {
    readers.delete(reader);
    if (readers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The present instant, in steps of twenty seconds. */
export function useNow(): number {
  const first = useState(() => (now = Date.now()))[0];
  const current = useSyncExternalStore(subscribe, () => now);
  return Math.max(first, current);
}

export function Moment({ at }: { at: string }) {
  const present = useNow();
  const [isExact, setExact] = useState(false);
  const exact = exactTime(at);
  return (
    <TooltipTrigger delay={300}>
      <Button className="moment" onPress={() => setExact(!isExact)}>
        <time dateTime={at}>{isExact ? exact : relativeTime(at, present)}</time>
      </Button>
      <Tooltip className="tooltip" offset={4}>
        {exact}
      </Tooltip>
    </TooltipTrigger>
  );
}

/** For rows of long lists: not reached by Tab; the exact time shows on hover, and is read out. */
export function QuietMoment({ at }: { at: string }) {
  const exact = exactTime(at);
  return (
    <time dateTime={at} title={exact}>
      {relativeTime(at, useNow())}
    </time>
  );
}

/** The options that set the time of a post. */
import { type Call, hasFlag, type OptionSpec, valueOf } from './command.ts';
import { UsageError } from './operator-client.ts';

export const WHEN_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--at <time>',
    text: 'Send at this time: 2026-12-01T09:00:00Z, or a wall time with --zone. At most 30 days ahead.',
  },
  { flags: '--zone <zone>', text: 'IANA zone in which --at is read, such as Europe/Paris.' },
  { flags: '--queue', text: 'Send in the next free slot of the queue of each connection.' },
];

/** The fields of the API. @throws UsageError for options that exclude each other */
export function whenOf(call: Call): { scheduledFor?: string; timezone?: string; queue?: boolean } {
  const [at, zone, queue] = [valueOf(call, 'at'), valueOf(call, 'zone'), hasFlag(call, 'queue')];
  if (at !== undefined && queue) throw new UsageError('Choose one of --at and --queue.');
  if (zone !== undefined && at === undefined) throw new UsageError('--zone is read with --at only.');
  return {
    ...(at === undefined ? {} : { scheduledFor: at }),
    ...(zone === undefined ? {} : { timezone: zone }),
    ...(queue ? { queue } : {}),
  };
}

/** How long a part is for each connection it goes to, as the service counts. Equal counts show once. */
import { countInWords } from '../../ui/times.ts';
import type { Verdict } from './use-verdicts.ts';

/** What a part of the text is to one connection. */
export interface PartCount {
  /** Name of the platform. */
  readonly platform: string;
  readonly part: Verdict['parts'][number];
}

export function Counts({ counts }: { counts: readonly PartCount[] }) {
  const groups = [
    ...Map.groupBy(counts, ({ platform, part }) => `${platform} ${part.length} ${part.maxLength}`).values(),
  ];
  if (groups.length === 0) return null;
  return (
    <p className="counts" role="status">
      {groups.map(([first]) => {
        if (first === undefined) return null;
        const { platform, part } = first;
        return (
          <span
            key={`${platform} ${part.maxLength}`}
            className={part.reason === undefined ? 'verdict' : 'verdict verdict-bad'}
          >
            {platform}{' '}
            <span className="count">
              {countInWords(part.length)} of {countInWords(part.maxLength)}
            </span>
          </span>
        );
      })}
    </p>
  );
}

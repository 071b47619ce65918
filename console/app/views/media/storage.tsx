/** How much of the account's storage its images take. */
import { useQuery } from '@tanstack/react-query';
import { Label } from 'react-aria-components/Label';
import { Meter } from 'react-aria-components/Meter';
import { useTRPC } from '../../data/trpc.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { bytesInWords } from '../../ui/sizes.ts';

export function Storage() {
  const query = useQuery(useTRPC().account.get.queryOptions({}));
  return (
    <QueryView what="the storage" query={query}>
      {({ account: { usage, caps } }) => {
        const text = `${bytesInWords(usage.mediaBytes)} of ${bytesInWords(caps.mediaBytes)} used`;
        return (
          <Meter className="storage" value={usage.mediaBytes} maxValue={caps.mediaBytes} valueLabel={text}>
            {({ percentage }) => (
              <>
                <Label>Storage</Label> <span>{text}</span>
                <span className="storage-track">
                  <span className="storage-bar" style={{ inlineSize: `${percentage}%` }} />
                </span>
              </>
            )}
          </Meter>
        );
      }}
    </QueryView>
  );
}

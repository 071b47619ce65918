/** Shows at a press what the newest item of a feed would become, and whether each chosen connection would take it. */
import { useMutation } from '@tanstack/react-query';
import { type Outputs, useTRPCClient } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import type { Chosen } from './connection-choice.tsx';

type Preview = Outputs['feeds']['preview']['preview'];
type Verdict = Outputs['posts']['validate']['results'][number];

interface Shown {
  readonly preview: Preview;
  /** Of each chosen connection. */
  readonly verdicts: readonly Verdict[];
}

export interface FeedPreviewProps {
  readonly url: string;
  readonly template: string;
  readonly chosen: Chosen;
}

export function FeedPreview(wanted: FeedPreviewProps) {
  const api = useTRPCClient();
  const reading = useMutation({
    mutationFn: async ({ url, template, chosen }: FeedPreviewProps): Promise<Shown> => {
      const { profileId, slugs } = chosen;
      const { preview } = await api.feeds.preview.mutate({ url, ...(template !== '' && { template }) });
      if (preview.newest === null || slugs.length === 0) return { preview, verdicts: [] };
      const { results } = await api.posts.validate.mutate({
        text: preview.newest.text,
        connectionSlugs: [...slugs],
        ...(profileId !== null && { profileId }),
      });
      return { preview, verdicts: results };
    },
  });
  // A preview says nothing about fields that have changed since.
  const isCurrent = JSON.stringify(reading.variables) === JSON.stringify(wanted);
  return (
    <div className="field">
      <Button isPending={reading.isPending} isDisabled={wanted.url === ''} onPress={() => reading.mutate(wanted)}>
        Preview the newest item
      </Button>
      <div role="status">{isCurrent && reading.data !== undefined && <PreviewedItem {...reading.data} />}</div>
      {isCurrent && reading.error !== null && <ProblemView failure={reading.error} />}
    </div>
  );
}

function PreviewedItem({ preview: { problem, newest }, verdicts }: Shown) {
  if (problem !== null) {
    return (
      <p className="problem">
        The feed cannot be read: <span dir="auto">{problem}</span>
      </p>
    );
  }
  if (newest === null) return <p>The feed has no items yet. New ones become posts.</p>;
  return (
    <>
      <p>
        The newest item
        {newest.publishedAt !== null && (
          <>
            , published <QuietMoment at={newest.publishedAt} />,
          </>
        )}{' '}
        would become this text. It is not posted: only later items are.
      </p>
      <p className="feed-text" dir="auto">
        {newest.text}
      </p>
      <ul>
        {verdicts.map(({ connectionSlug, length, maxLength, error }) => (
          <li key={connectionSlug}>
            <bdi>{connectionSlug}</bdi>:{' '}
            {error === null ? (
              `${length} of ${maxLength} characters`
            ) : (
              <span className="bad" dir="auto">
                {error.message}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

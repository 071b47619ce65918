/** A text and its rewrite side by side, with what differs marked. Using it can be undone. */
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { Connection } from '../../data/connections.ts';
import { useTRPCClient } from '../../data/trpc.ts';
import { Sheet } from '../../shell/sheet.tsx';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import { type Difference, differenceOf } from './word-difference.ts';

export interface PolishSheetProps {
  readonly text: string;
  readonly connection: Connection;
  onText(text: string): void;
  onClose(): void;
}

export function PolishSheet({ text, connection, onText, onClose }: PolishSheetProps) {
  const api = useTRPCClient();
  const { slug, profileId } = connection;
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['compose', 'rewrite', text, connection.id],
    queryFn: ({ signal }) =>
      api.posts.rewrite.mutate({ text, connectionSlug: slug, ...(profileId !== null && { profileId }) }, { signal }),
    retry: false,
    staleTime: 'static',
    gcTime: 0,
  });
  const use = (rewrite: string) => {
    onText(rewrite);
    onClose();
    toast('The polished text is in place.', () => onText(text));
  };
  return (
    <Sheet label="Polish with AI" place="middle" onClose={onClose}>
      <h2>Polish with AI</h2>
      {error !== null && <ProblemView failure={error} />}
      {data === undefined && error === null && <Loading what="the polished text" />}
      {data?.status === 'failed' && (
        <p className="problem" role="alert">
          {data.reason} Your text stays as it is.
        </p>
      )}
      {data?.status === 'rewritten' && <SideBySide before={text} after={data.text} />}
      <div className="actions">
        {data?.status === 'rewritten' && (
          <Button look="primary" isDisabled={data.text === text} onPress={() => use(data.text)}>
            Use the polished text
          </Button>
        )}
        <Button isPending={isFetching} onPress={() => refetch()}>
          Ask again
        </Button>
        <Button look="quiet" onPress={onClose}>
          Keep mine
        </Button>
      </div>
    </Sheet>
  );
}

function SideBySide({ before, after }: { before: string; after: string }) {
  const id = useId();
  const parts = differenceOf(before.trim(), after);
  return (
    <>
      {before.trim() === after && <p>The model would change nothing.</p>}
      <div className="side-by-side">
        <section aria-labelledby={`${id}-before`}>
          <h3 id={`${id}-before`}>Yours</h3>
          <Marked parts={parts.filter(({ kind }) => kind !== 'added')} />
        </section>
        <section aria-labelledby={`${id}-after`}>
          <h3 id={`${id}-after`}>Polished</h3>
          <Marked parts={parts.filter(({ kind }) => kind !== 'removed')} />
        </section>
      </div>
    </>
  );
}

function Marked({ parts }: { parts: readonly Difference[] }) {
  return (
    <p className="post-text" dir="auto">
      {parts.map(({ kind, text }, index) => {
        const key = `${index}`;
        if (kind === 'removed') return <del key={key}>{text}</del>;
        return kind === 'added' ? <ins key={key}>{text}</ins> : <span key={key}>{text}</span>;
      })}
    </p>
  );
}

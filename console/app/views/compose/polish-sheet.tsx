/** A text beside wordings of the model to choose from, with what differs marked. Using one can be undone. */
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Connection } from '../../data/connections.ts';
import { type Outputs, useTRPCClient } from '../../data/trpc.ts';
import { Sheet } from '../../shell/sheet.tsx';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { toast } from '../../ui/toasts.tsx';
import { MarkedWords } from './marked-words.tsx';
import { differenceOf } from './word-difference.ts';

/** Wordings to choose from. Each is a call of the model. */
const WORDINGS = 3;

export interface PolishSheetProps {
  readonly text: string;
  readonly connection: Connection;
  onPolished(words: string): () => boolean;
  onClose(): void;
}

export function PolishSheet({ text, connection, onPolished, onClose }: PolishSheetProps) {
  const api = useTRPCClient();
  const [chosen, setChosen] = useState('0');
  const { slug, profileId } = connection;
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['compose', 'rewrite', text, connection.id],
    queryFn: ({ signal }) => {
      const target = { connectionSlug: slug, ...(profileId !== null && { profileId }) };
      return api.posts.rewrite.mutate({ text, ...target, variants: WORDINGS }, { signal });
    },
    retry: false,
    staleTime: 'static',
    gcTime: 0,
  });
  const wordings = wordingsOf(data);
  const wording = wordings[Number(chosen)] ?? wordings[0];
  const use = (rewrite: string) => {
    const undo = onPolished(rewrite);
    onClose();
    toast('The polished text is in place.', () => {
      if (!undo()) toast('The text was changed since it was polished, and stays as it is.');
    });
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
      {wordings.length > 1 && (
        <RadioChoice
          label="Wording"
          value={wordings[Number(chosen)] === undefined ? '0' : chosen}
          choices={wordings.map((_text, index) => ({ value: `${index}`, label: `Wording ${index + 1}` }))}
          onChange={setChosen}
        />
      )}
      {wording !== undefined && <SideBySide before={text} after={wording} />}
      {data?.status === 'rewritten' && <Dropped variants={data.variants ?? []} />}
      <div className="actions">
        {wording !== undefined && (
          <Button look="primary" isDisabled={wording === text} onPress={() => use(wording)}>
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

type Variants = NonNullable<Outputs['posts']['rewrite']['variants']>;

function wordingsOf(answer: Outputs['posts']['rewrite'] | undefined): string[] {
  return (answer?.variants ?? []).flatMap(({ text }) => text ?? []);
}

/** Why there are fewer wordings than were asked for. */
function Dropped({ variants }: { variants: Variants }) {
  const reasons = variants.flatMap(({ reason }) => reason ?? []);
  if (reasons.length === 0) return null;
  return (
    <p className="hint">
      {reasons.length === 1 ? 'One wording was dropped: ' : `${reasons.length} wordings were dropped: `}
      {[...new Set(reasons)].join(' ')}
    </p>
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
          <MarkedWords parts={parts.filter(({ kind }) => kind !== 'added')} />
        </section>
        <section aria-labelledby={`${id}-after`}>
          <h3 id={`${id}-after`}>Polished</h3>
          <MarkedWords parts={parts.filter(({ kind }) => kind !== 'removed')} />
        </section>
      </div>
    </>
  );
}

/** The brand voice of a profile: rules, examples and banned phrases for AI polish. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { useEdits } from '../../data/use-edits.ts';
import { Allowed, useCan } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { toast } from '../../ui/toasts.tsx';

type Voice = Outputs['profiles']['voice']['voice'];

/** Examples that the service takes, and characters of each. */
const EXAMPLES_MAX = 5;
const EXAMPLE_MAX = 500;

export function ProfileVoice({ profileId }: { profileId: string }) {
  const query = useQuery(useTRPC().profiles.voice.queryOptions({ profileId }));
  return (
    <Panel title="Brand voice">
      <p className="hint">How AI polish words the texts for the connections of this profile.</p>
      <QueryView what="the brand voice" query={query}>
        {({ voice }) => <VoiceForm profileId={profileId} voice={voice} />}
      </QueryView>
    </Panel>
  );
}

/** As they are edited: rules and phrases one a line. */
interface VoiceFields {
  readonly rules: string;
  readonly bannedPhrases: string;
  readonly examples: readonly string[];
}

function VoiceForm({ profileId, voice }: { profileId: string; voice: Voice }) {
  const { fields, change, settle } = useEdits<VoiceFields>({
    rules: voice.rules.join('\n'),
    bannedPhrases: voice.bannedPhrases.join('\n'),
    examples: voice.examples,
  });
  const { rules, bannedPhrases, examples } = fields;
  const isReadOnly = !useCan('profiles:write');
  const { save, isPending, error } = useSave(profileId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const written = examples.map((example) => example.trim()).filter((example) => example !== '');
    save({ rules: linesOf(rules), examples: written, bannedPhrases: linesOf(bannedPhrases) }, () => {
      settle();
      toast('The brand voice is saved.', () => save(voice, () => toast('The brand voice is as before.')));
    });
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label="Rules"
        rows={4}
        dir="auto"
        hint="One a line, up to 10. For example: Write short sentences."
        isReadOnly={isReadOnly}
        value={rules}
        onChange={(next) => change({ rules: next })}
      />
      {examples.map((example, index) => (
        // An example has no identity but its place.
        // eslint-disable-next-line react/no-array-index-key
        <div key={index} className="part">
          <TextField
            label={`Example ${index + 1}`}
            rows={3}
            dir="auto"
            maxLength={EXAMPLE_MAX}
            hint="A text that sounds right."
            isReadOnly={isReadOnly}
            value={example}
            onChange={(next) => change({ examples: examples.with(index, next) })}
          />
          <Allowed to="profiles:write">
            <Button
              look="quiet"
              aria-label={`Remove example ${index + 1}`}
              onPress={() => change({ examples: examples.toSpliced(index, 1) })}
            >
              Remove
            </Button>
          </Allowed>
        </div>
      ))}
      <Allowed to="profiles:write">
        {examples.length < EXAMPLES_MAX && (
          <Button look="quiet" onPress={() => change({ examples: [...examples, ''] })}>
            Add an example
          </Button>
        )}
      </Allowed>
      <TextField
        label="Banned phrases"
        rows={3}
        dir="auto"
        hint="One a line, up to 20. A rewrite that has one of them is discarded."
        isReadOnly={isReadOnly}
        value={bannedPhrases}
        onChange={(next) => change({ bannedPhrases: next })}
      />
      <Allowed to="profiles:write">
        <Button type="submit" isPending={isPending}>
          Set the brand voice
        </Button>
      </Allowed>
      {error !== null && <ProblemView failure={error} />}
    </form>
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function useSave(profileId: string) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation(
    trpc.profiles.setVoice.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(trpc.profiles.voice.queryFilter({ profileId })),
    }),
  );
  const save = (voice: Voice, onSuccess: () => void) => mutate({ profileId, ...voice }, { onSuccess });
  return { save, isPending, error };
}

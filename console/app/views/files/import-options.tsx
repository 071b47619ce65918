/** What the rows of a chosen file leave open, and the button that has it checked. Loaded when a file is chosen. */
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ZoneSelect } from '../../filters/zone-select.tsx';
import { Button } from '../../ui/button.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { bytesInWords } from '../../ui/sizes.ts';
import { ZONE } from '../../ui/times.ts';
import { type Chosen, ConnectionChoice } from './connection-choice.tsx';
import type { FileRequest } from './kept-file.ts';
import type { ReadFile } from './read-file.ts';
import { useStart } from './use-start.ts';

type Untimed = NonNullable<FileRequest['untimed']>;

const UNTIMED: Readonly<Record<Untimed, string>> = {
  draft: 'Drafts, for a person to publish',
  queue: 'The next free slots of the queues',
  now: 'Published at once',
};

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function ImportOptions({ file, onChecked }: { file: ReadFile; onChecked(): void }) {
  const navigate = useNavigate();
  const [untimed, setUntimed] = useState<Untimed>('draft');
  const [zone, setZone] = useState<string | undefined>(undefined);
  const [chosen, setChosen] = useState<Chosen>({ profileId: null, slugs: [] });
  const start = useStart();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, content, format } = file;
    const request: FileRequest = {
      name: name.slice(0, 200),
      content,
      format,
      untimed,
      timezone: zone ?? ZONE,
      ...(chosen.slugs.length > 0 && { connectionSlugs: [...chosen.slugs] }),
      ...(chosen.profileId !== null && { profileId: chosen.profileId }),
    };
    start.mutate(
      { request, dryRun: true },
      {
        onSuccess: ({ import: { id } }) => {
          onChecked();
          void navigate({ to: '/files', search: { import: id } });
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <p role="status">
        <bdi>{file.name}</bdi>{' '}
        <span className="soft">
          {bytesInWords(file.bytes)}, read as {file.format === 'csv' ? 'CSV' : 'JSON'}
        </span>
      </p>
      <ConnectionChoice label="Connections of rows that name none" chosen={chosen} onChange={setChosen} />
      <RadioChoice<Untimed>
        label="Rows without a time become"
        value={untimed}
        choices={Object.entries(UNTIMED).map(([value, label]) => ({ value: value as Untimed, label }))}
        onChange={setUntimed}
      />
      <div className="field">
        <ZoneSelect zone={zone} onChange={setZone} />
        <p className="hint">For times that name no zone.</p>
      </div>
      <Button look="primary" type="submit" isPending={start.isPending}>
        Check the file
      </Button>
      <p className="hint">Nothing is created yet.</p>
      {start.error !== null && <ProblemView failure={start.error} />}
    </form>
  );
}

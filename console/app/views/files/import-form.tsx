/** Choose or drop a file; what its rows leave open is asked next. */
import { lazy, Suspense, useState } from 'react';
import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Text } from 'react-aria-components/Text';
import { Button } from '../../ui/button.tsx';
import { ServerLink } from '../../ui/link.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Panel } from '../../ui/panel.tsx';
import { type ReadFile, readFile } from './read-file.ts';

const ImportOptions = lazy(() => import('./import-options.tsx'));

export function ImportForm() {
  const [file, setFile] = useState<ReadFile | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const choose = async (chosen: File | undefined) => {
    setFile(null);
    const read = chosen === undefined ? null : await readFile(chosen);
    if (typeof read === 'string') return setRefusal(read);
    setRefusal(null);
    setFile(read);
  };
  return (
    <Panel title="Import posts from a file">
      <p>
        CSV with a header, from any spreadsheet, or JSON. The columns are <code>text</code>, <code>connections</code>,{' '}
        <code>scheduledFor</code>, <code>tags</code>, <code>images</code> and{' '}
        <ServerLink href="/docs/guide/import-export">some more</ServerLink>.
      </p>
      <DropZone
        className="drop-zone"
        onDrop={({ items }) => {
          const dropped = items.find((item) => item.kind === 'file');
          void dropped?.getFile().then(choose);
        }}
      >
        <Text slot="label">Drop a file here</Text>
        <FileTrigger
          acceptedFileTypes={['.csv', '.tsv', '.json', '.ndjson', '.jsonl', '.txt']}
          onSelect={(files) => void choose(files?.[0])}
        >
          <Button>Choose a file</Button>
        </FileTrigger>
      </DropZone>
      {refusal !== null && (
        <p className="problem" role="alert">
          {refusal}
        </p>
      )}
      {file !== null && (
        <Suspense fallback={<Loading what="the options" />}>
          <ImportOptions key={file.content} file={file} onChecked={() => setFile(null)} />
        </Suspense>
      )}
    </Panel>
  );
}

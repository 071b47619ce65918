/** Export: everything of a kind as a file, and everything of the account as one archive. */
import { useState } from 'react';
import { useCan } from '../../shell/rights.tsx';
import { Panel } from '../../ui/panel.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { DownloadButton } from './download-button.tsx';
import { EXPORTS, type Export, type Format, FORMATS } from './exports.ts';
import { PlacesHead } from './places.tsx';

const FORMAT_WORDS: Readonly<Record<Format, string>> = {
  csv: 'CSV, for spreadsheets',
  ndjson: 'JSON, one object a line, for programs',
};

export function ExportView() {
  const [format, setFormat] = useState<Format>('csv');
  return (
    <>
      <PlacesHead title="Export" />
      <Panel title="Format">
        <RadioChoice<Format>
          label="Format of the files"
          value={format}
          choices={FORMATS.map((value) => ({ value, label: FORMAT_WORDS[value] }))}
          onChange={setFormat}
        />
        <p className="hint">
          No file has credentials, keys, secrets of webhooks or addresses of calendars. To move to another install, its
          operator makes a backup.
        </p>
      </Panel>
      <Panel title="Everything">
        <p>One ZIP archive with a file of each kind below that you may read, and the images themselves.</p>
        <DownloadButton kind="archive" format={format} look="primary" label="Download the archive" />
      </Panel>
      <Panel title="One kind">
        <ul className="rows">
          {EXPORTS.map((one) => (
            <ExportRow key={one.kind} export={one} format={format} />
          ))}
        </ul>
      </Panel>
    </>
  );
}

function ExportRow({ export: { kind, title, what, needs }, format }: { export: Export; format: Format }) {
  const isAllowed = useCan(needs);
  return (
    <li className="row-with-action">
      <div>
        <p>
          <strong>{title}</strong>
        </p>
        <p className="hint">{isAllowed ? what : 'Your role does not allow this. Ask an owner of the account.'}</p>
      </div>
      {isAllowed && <DownloadButton kind={kind} format={format} label="Download" describes={title} />}
    </li>
  );
}

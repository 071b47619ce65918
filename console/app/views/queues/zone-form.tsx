/** The time zone in which the slots are read. */
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ZONE } from '../../ui/times.ts';
import { isZone } from '../../ui/zoned.ts';

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function ZoneForm({ zone, onChange }: { zone: string; onChange(zone: string): void }) {
  const [text, setText] = useState(zone);
  const isKnown = isZone(text.trim());
  return (
    <form
      className="zone-form"
      onSubmit={(event) => {
        event.preventDefault();
        onChange(text.trim());
      }}
    >
      <TextField
        isRequired
        label="Time zone"
        hint={`An IANA name; yours is ${ZONE}. Posts that are queued already stay at their times.`}
        value={text}
        onChange={setText}
      />
      <Button type="submit" isDisabled={!isKnown || text.trim() === zone}>
        Change the zone
      </Button>
      {!isKnown && text !== '' && <p className="field-error">No time zone has this name.</p>}
    </form>
  );
}

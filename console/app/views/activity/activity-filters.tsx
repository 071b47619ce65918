/** The filters of the activity. They live in the address, so that every combination is a link. */
import { useNavigate } from '@tanstack/react-router';
import { withoutEmpty } from '../../data/search.ts';
import { FilterSelect } from '../../filters/filter-select.tsx';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { X } from '../../ui/icons.tsx';
import { NativeField } from '../../ui/native-field.tsx';
import { ACTOR_WORDS } from './entry-row.tsx';
import { ACTOR_KINDS, type ActivitySearch, type FilterChanges, OUTCOMES, type Outcome } from './search.ts';

const OUTCOME_WORDS: Readonly<Partial<Record<Outcome, string>>> = { ok: 'done', none: 'no outcome' };

export function ActivityFilters({ search }: { search: ActivitySearch }) {
  const navigate = useNavigate({ from: '/activity' });
  const change = (changes: FilterChanges) =>
    void navigate({ to: '/activity', search: (before) => withoutEmpty({ ...before, ...changes }) });
  return (
    <search className="filters">
      <FilterSelect
        label="Who"
        value={search.actorKind}
        choices={ACTOR_KINDS.map((value) => ({ value, label: ACTOR_WORDS[value] }))}
        onChange={(actorKind) => change({ actorKind })}
      />
      <FilterSelect
        label="Outcome"
        value={search.outcome}
        choices={OUTCOMES.map((value) => ({ value, label: OUTCOME_WORDS[value] ?? value }))}
        onChange={(outcome) => change({ outcome })}
      />
      <OperationSearch
        key={search.operation ?? ''}
        operation={search.operation ?? ''}
        onFind={(operation) => change({ operation })}
      />
      <NativeField type="date" label="From" value={search.from ?? ''} onChange={(from) => change({ from })} />
      <NativeField type="date" label="To" value={search.to ?? ''} onChange={(to) => change({ to })} />
      {search.actorId !== undefined && (
        <Chip label="one actor" value={search.actorId} onRemove={() => change({ actorId: undefined })} />
      )}
      {search.objectId !== undefined && (
        <Chip label="one object" value={search.objectId} onRemove={() => change({ objectId: undefined })} />
      )}
    </search>
  );
}

/** The API finds whole names only, so it is asked at a press and not while typing. */
function OperationSearch({ operation, onFind }: { operation: string; onFind(operation: string): void }) {
  const [text, setText] = useState(operation);
  const find = (event: FormEvent) => {
    event.preventDefault();
    onFind(text.trim());
  };
  return (
    <form className="operation-search" onSubmit={find}>
      <TextField label="Operation" autoComplete="off" value={text} onChange={setText} />
      <Button type="submit">Find</Button>
    </form>
  );
}

function Chip({ label, value, onRemove }: { label: string; value: string; onRemove(): void }) {
  return (
    <Button look="quiet" aria-label={`Remove the filter for ${label}`} onPress={onRemove}>
      {label} {value.slice(0, 8)}… <X aria-hidden size={14} />
    </Button>
  );
}

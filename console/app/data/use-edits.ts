/**
 * The fields of a form over what is stored: only what is edited here is kept, so what changes elsewhere shows, and saving
 * does not write an earlier value over it.
 */
import { useState } from 'react';

export interface Edits<Fields> {
  /** What is stored, with what is edited here. */
  readonly fields: Fields;
  /** The edited fields whose value is not the stored one. */
  readonly changes: Partial<Fields>;
  change(fields: Partial<Fields>): void;
  /** Ends the present edits, once they are stored. What is edited between this render and the call stays. */
  settle(): void;
}

export function useEdits<Fields extends object>(stored: Fields): Edits<Fields> {
  const [edits, setEdits] = useState<Partial<Fields>>({});
  return {
    fields: { ...stored, ...edits },
    changes: without(edits, stored),
    change: (fields) => setEdits((before) => ({ ...before, ...fields })),
    settle: () => setEdits((latest) => without(latest, edits)),
  };
}

function without<Fields extends object>(edits: Partial<Fields>, known: Partial<Fields>): Partial<Fields> {
  const left = Object.entries(edits).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name as keyof Fields]),
  );
  return Object.fromEntries(left) as Partial<Fields>;
}

/** Asks the model of the service to improve a text. The difference is shown before anything changes. */
import { lazy, Suspense, useState } from 'react';
import type { Connection } from '../../data/connections.ts';
import { Button } from '../../ui/button.tsx';
import { Sparkles } from '../../ui/icons.tsx';

const PolishSheet = lazy(() =>
  import('./polish-sheet.tsx').then(({ PolishSheet: default_ }) => ({ default: default_ })),
);

export interface PolishButtonProps {
  readonly text: string;
  /** Whose limits hold; null while none is chosen. */
  readonly connection: Connection | null;
  /** Puts polished words in place of the text. @returns the undo, which says whether it brought the text back */
  onPolished(words: string): () => boolean;
}

export function PolishButton({ text, connection, onPolished }: PolishButtonProps) {
  const [isOpen, setOpen] = useState(false);
  if (connection === null || text.trim() === '') return null;
  return (
    <>
      <Button look="quiet" onPress={() => setOpen(true)}>
        <Sparkles aria-hidden size={16} /> Polish with AI
      </Button>
      {isOpen && (
        <Suspense>
          <PolishSheet text={text} connection={connection} onPolished={onPolished} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

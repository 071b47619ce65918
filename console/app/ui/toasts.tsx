/** Messages that come and go: what happened, and undo for as long as they show. */
import { Text } from 'react-aria-components/Text';
import {
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components/Toast';
import { onLeave } from '../data/leaving.ts';
import { Button } from './button.tsx';
import { Undo2, X } from './icons.tsx';

interface Message {
  readonly text: string;
  readonly undo?: () => void;
}

const queue = new ToastQueue<Message>({ maxVisibleToasts: 3 });

/** Long enough to read a sentence and to reach the button; hover and focus stop the time. */
const SHOWN_MS = 8_000;

/** Says that something was done. @param undo takes it back, when that is possible */
export function toast(text: string, undo?: () => void): void {
  queue.add({ text, ...(undo && { undo }) }, { timeout: SHOWN_MS });
}

/**
 * Announces a change that the service cannot take back, and makes it when the message goes, unless the person presses
 * Undo before.
 *
 * @returns takes the message away and makes no change, because a later one replaces it
 */
export function doUnlessUndone(text: string, run: () => void, onUndo: () => void): () => void {
  let isOver = false;
  const finish = (act: () => void) => () => {
    if (isOver) return;
    isOver = true;
    stop();
    act();
  };
  const carryOut = finish(run);
  const key = queue.add({ text, undo: finish(onUndo) }, { timeout: SHOWN_MS, onClose: carryOut });
  // Without the message, which would offer to undo what can no longer be undone.
  const stop = onLeave(() => queue.close(key));
  return finish(() => queue.close(key));
}

export function Toasts() {
  return (
    <ToastRegion queue={queue} className="toasts" aria-label="Messages">
      {({ toast: shown }) => (
        <Toast toast={shown} className="toast">
          <ToastContent className="toast-content">
            <Text slot="title">{shown.content.text}</Text>
          </ToastContent>
          {shown.content.undo !== undefined && (
            <Button
              look="quiet"
              onPress={() => {
                shown.content.undo?.();
                queue.close(shown.key);
              }}
            >
              <Undo2 aria-hidden size={16} /> Undo
            </Button>
          )}
          <Button slot="close" look="icon" aria-label="Close the message">
            <X aria-hidden size={18} />
          </Button>
        </Toast>
      )}
    </ToastRegion>
  );
}

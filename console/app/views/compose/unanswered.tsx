/** What can be done about a send that has no answer: ask again, or say what happened when it is too late for that. */
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { useNow } from '../../ui/moment.tsx';
import { toast } from '../../ui/toasts.tsx';
import { type Composition, isRepeatable, type Pending } from './composition.ts';
import type { CompositionStore } from './store.ts';

export interface UnansweredProps {
  readonly store: CompositionStore;
  readonly composition: Composition;
  readonly pending: Pending;
  onSendAsNew(): void;
}

export function Unanswered({ store, composition, pending, onSendAsNew }: UnansweredProps) {
  const now = useNow();
  const forget = () => {
    store.forget(composition.id);
    toast('The text is removed from Compose.', () => store.show(composition));
  };
  if (isRepeatable(pending, now)) {
    return (
      <p className="problem" role="alert">
        This text was sent, and there is no answer yet. Ask again: what has gone out is not sent twice.
      </p>
    );
  }
  return (
    <>
      <p className="problem" role="alert">
        This text was sent about a day ago or earlier, and no answer arrived. It is too late to ask again. Look under{' '}
        <Link to="/posts" className="link">
          Posts
        </Link>{' '}
        whether it is there.
      </p>
      <div className="actions">
        <Button onPress={forget}>It is there</Button>
        <Button onPress={onSendAsNew}>Send as new</Button>
      </div>
    </>
  );
}

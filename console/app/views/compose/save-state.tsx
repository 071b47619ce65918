/** Says where what is written is kept, and offers to begin anew or to continue another unfinished text. */
import { useEffect } from 'react';
import type { Connection } from '../../data/connections.ts';
import { useTRPCClient } from '../../data/trpc.ts';
import { useLists } from '../../data/live/use-lists.ts';
import { problemOf } from '../../data/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Trash2 } from '../../ui/icons.tsx';
import { Link } from '../../ui/link.tsx';
import { doUnlessUndone, toast } from '../../ui/toasts.tsx';
import { type Composition, contentKey, isBlank, newComposition } from './composition.ts';
import { canDiscard, deleteDrafts, findDrafts, finishDiscards, UNDO_MAX_MS } from './discard.ts';
import type { CompositionStore } from './store.ts';
import type { Autosave } from './use-autosave.ts';
import { useOthers } from './use-composition.ts';

export interface SaveStateProps {
  readonly store: CompositionStore;
  readonly composition: Composition;
  readonly chosen: readonly Connection[];
  readonly autosave: Autosave;
  readonly isSending: boolean;
}

export function SaveState({ store, composition, chosen, autosave, isSending }: SaveStateProps) {
  const discard = useDiscard(store, autosave);
  if (isBlank(composition)) return null;
  return (
    <div className="save-state">
      <p className="hint" role="status">
        {wordsFor(store, composition, chosen, autosave)}
        {Object.keys(composition.drafts).length > 0 && (
          <>
            {' '}
            <Link to="/posts" search={{ status: 'draft' }} className="link">
              Drafts
            </Link>
          </>
        )}
      </p>
      <div className="actions">
        <Button look="quiet" onPress={() => store.show(newComposition())}>
          Write another one
        </Button>
        <Button look="quiet" isDisabled={isSending || !canDiscard(composition)} onPress={() => discard(composition)}>
          Discard
        </Button>
      </div>
    </div>
  );
}

function wordsFor(
  store: CompositionStore,
  composition: Composition,
  chosen: readonly Connection[],
  { isSaving, failure }: Autosave,
): string {
  if (!store.isKept()) return 'This browser keeps nothing: do not close the tab before it is sent.';
  if (isSaving) return 'Saving the draft…';
  const here = 'Kept in this browser.';
  if (failure !== null) return `${here} No draft was saved: ${problemOf(failure).message}`;
  const { drafts, savedAs } = composition;
  const count = chosen.filter(({ id }) => id in drafts).length;
  // Also when the connections that it was saved for were all disconnected.
  if (savedAs !== contentKey(composition) || chosen.length === 0) return here;
  if (count === chosen.length) return count === 1 ? 'Saved as a draft.' : `Saved as ${count} drafts.`;
  return `${here} Saved as drafts for ${count} of ${chosen.length} connections: it does not fit the others.`;
}

/** Hides it at once, and deletes its drafts when the time for undo has passed. */
function useDiscard(store: CompositionStore, autosave: Autosave): (composition: Composition) => void {
  const api = useTRPCClient();
  const { refreshPosts } = useLists();
  return ({ id }) => {
    store.refresh();
    const composition = store.find(id);
    // Another tab may have sent or discarded it since it was shown.
    if (composition === undefined || !canDiscard(composition)) return;
    store.discard(id, Date.now());
    // A page that is left has no time to read first.
    const found = autosave.settled().then(() => findDrafts(api, composition, Date.now()));
    const remove = async () => {
      const [failure] = await deleteDrafts(api, store, await found);
      if (failure === undefined) store.endDiscard(id);
      else toast(`A draft of the discarded text may be left. ${problemOf(failure).message}`);
      await refreshPosts();
    };
    doUnlessUndone(
      'The text is discarded.',
      () => void remove(),
      () => store.show(composition),
    );
  };
}

/** Finishes what closed pages have begun: at once, and when no other tab offers Undo any more. */
function useFinishedDiscards(store: CompositionStore): void {
  const api = useTRPCClient();
  useEffect(() => {
    const finish = () => void finishDiscards(api, store, Date.now());
    finish();
    const timer = setTimeout(finish, UNDO_MAX_MS);
    return () => clearTimeout(timer);
  }, [api, store]);
}

/** Characters of an unfinished text that are shown. */
const BEGINNING = 60;

export function Unfinished({ store, autosave }: Pick<SaveStateProps, 'store' | 'autosave'>) {
  useFinishedDiscards(store);
  const others = useOthers(store);
  const discard = useDiscard(store, autosave);
  if (others.length === 0) return null;
  return (
    <details className="unfinished">
      <summary>
        {others.length === 1 ? '1 other unfinished text' : `${others.length} other unfinished texts`} in this browser
      </summary>
      <ul className="rows">
        {others.map((one) => (
          <li key={one.id} className="row-with-action">
            <span dir="auto">{one.text.trim().slice(0, BEGINNING) || 'Without a text'}</span>
            <span className="actions">
              <Button onPress={() => store.show(one)}>Continue</Button>
              <Button
                look="icon"
                aria-label="Discard this text"
                isDisabled={!canDiscard(one)}
                onPress={() => discard(one)}
              >
                <Trash2 aria-hidden size={18} />
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

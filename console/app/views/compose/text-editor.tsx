/** The words of a composition: the text, variants for platforms, replies, first comment and tags. */
import { type Connection, useNames } from '../../data/connections.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { X } from '../../ui/icons.tsx';
import { toast } from '../../ui/toasts.tsx';
import type { Composition } from './composition.ts';
import { Counts, type PartCount } from './counts.tsx';
import { MoveButtons } from '../../ui/move-buttons.tsx';
import { PolishButton } from './polish-button.tsx';
import type { Directory } from './requests.ts';
import type { CompositionStore } from './store.ts';
import { polish, removeFirstComment, removeReply, removeVariant, setVariant } from './undoable.ts';
import type { Verdict } from './use-verdicts.ts';

/** Replies of a thread that the service takes. */
const REPLIES_MAX = 24;

export interface EditorProps {
  readonly store: CompositionStore;
  readonly composition: Composition;
  readonly directory: Directory;
  readonly chosen: readonly Connection[];
  readonly verdicts: ReadonlyMap<string, Verdict>;
}

export function TextEditor(props: EditorProps) {
  const { store, composition, chosen, verdicts } = props;
  const shared = chosen.filter(({ platformId }) => !(platformId in composition.variants));
  const countsOf = useCounts(verdicts);
  return (
    <>
      <TextField
        label="Text"
        rows={5}
        dir="auto"
        isRequired
        value={composition.text}
        onChange={(text) => store.change({ text })}
      />
      <Counts counts={countsOf(shared, 0)} />
      <div className="actions">
        <PolishButton
          text={composition.text}
          connection={narrowest(shared, verdicts)}
          onPolished={(words) => polish(store, composition, words)}
        />
        {composition.thread.length === 0 && (
          <Button look="quiet" onPress={() => store.change({ thread: [''] })}>
            Continue as a thread
          </Button>
        )}
        {composition.firstComment === null && (
          <Button look="quiet" onPress={() => store.change({ firstComment: '' })}>
            Add a first comment
          </Button>
        )}
      </div>
      <Variants {...props} countsOf={countsOf} />
      <Thread {...props} countsOf={countsOf} />
      <Extras {...props} />
    </>
  );
}

/** @param index 0 for the text, then the replies */
type CountsOf = (connections: readonly Connection[], index: number) => PartCount[];

function useCounts(verdicts: ReadonlyMap<string, Verdict>): CountsOf {
  const names = useNames();
  return (connections, index) =>
    connections.flatMap(({ id, platformId }) => {
      const part = verdicts.get(id)?.parts[index];
      return part === undefined ? [] : [{ platform: names.platform(platformId), part }];
    });
}

const isEmpty = (reply: string) => reply.trim() === '';

/** Empty replies are left out of a request, so that the ones after them move up. @returns the index as {@link CountsOf} takes it */
function indexSent(thread: readonly string[], index: number): number {
  return 1 + thread.slice(0, index).filter((reply) => !isEmpty(reply)).length;
}

/** The connection with the smallest limit: what fits there fits everywhere. */
function narrowest(connections: readonly Connection[], verdicts: ReadonlyMap<string, Verdict>): Connection | null {
  const limitOf = ({ id }: Connection) => verdicts.get(id)?.maxLength ?? Infinity;
  return connections.toSorted((a, b) => limitOf(a) - limitOf(b))[0] ?? null;
}

function Variants({ store, composition, chosen, verdicts, countsOf }: EditorProps & { readonly countsOf: CountsOf }) {
  const names = useNames();
  const { variants, text } = composition;
  const written = Object.keys(variants);
  const platforms = [...new Set(chosen.map(({ platformId }) => platformId))].filter((id) => !(id in variants));
  const change = (id: string, words: string) => setVariant(store, composition, id, words);
  const remove = (id: string) =>
    toast(`${names.platform(id)} gets the shared text.`, removeVariant(store, composition, id));
  return (
    <>
      {written.map((id) => {
        const members = chosen.filter(({ platformId }) => platformId === id);
        return (
          <div key={id} className="part">
            <TextField
              label={`Text for ${names.platform(id)}`}
              rows={4}
              dir="auto"
              isRequired
              hint={members.length === 0 ? 'No connection of this platform is chosen.' : undefined}
              value={variants[id] ?? ''}
              onChange={(words) => change(id, words)}
            />
            <Counts counts={countsOf(members, 0)} />
            <div className="actions">
              <PolishButton
                text={variants[id] ?? ''}
                connection={narrowest(members, verdicts)}
                onPolished={(words) => polish(store, composition, words, id)}
              />
              <Button look="quiet" onPress={() => remove(id)}>
                Use the shared text for {names.platform(id)}
              </Button>
            </div>
          </div>
        );
      })}
      {platforms.length > 0 && (platforms.length > 1 || written.length > 0) && (
        <div className="actions" role="group" aria-label="Another text for one platform">
          <span className="soft">Another text for</span>
          {platforms.map((id) => (
            <Button key={id} look="quiet" onPress={() => change(id, text)}>
              {names.platform(id)}
            </Button>
          ))}
        </div>
      )}
    </>
  );
}

function Thread({ store, composition, chosen, countsOf }: EditorProps & { readonly countsOf: CountsOf }) {
  const { thread } = composition;
  const setThread = (next: readonly string[]) => store.change({ thread: next });
  const remove = (index: number) => toast('The reply is removed.', removeReply(store, composition, index));
  const move = (index: number, by: number) => {
    const words = thread[index] ?? '';
    setThread(thread.toSpliced(index, 1).toSpliced(index + by, 0, words));
  };
  return (
    <>
      {thread.length > 0 && (
        <ol className="thread" aria-label="Thread">
          {thread.map((words, index) => (
            // A reply has no identity but its place.
            // eslint-disable-next-line react/no-array-index-key
            <li key={index} className="part">
              <TextField
                label={`Reply ${index + 1}`}
                rows={3}
                dir="auto"
                isRequired
                value={words}
                onChange={(next) => setThread(thread.with(index, next))}
              />
              <Counts counts={isEmpty(words) ? [] : countsOf(chosen, indexSent(thread, index))} />
              <div className="actions">
                <MoveButtons what={`reply ${index + 1}`} index={index} count={thread.length} onMove={move} />
                <Button look="icon" aria-label={`Remove reply ${index + 1}`} onPress={() => remove(index)}>
                  <X aria-hidden size={18} />
                </Button>
              </div>
            </li>
          ))}
        </ol>
      )}
      {thread.length > 0 && thread.length < REPLIES_MAX && (
        <Button look="quiet" onPress={() => setThread([...thread, ''])}>
          Add a reply
        </Button>
      )}
    </>
  );
}

function Extras({ store, composition, directory, chosen }: EditorProps) {
  const { firstComment, tags } = composition;
  const names = useNames();
  const ids = [...new Set(chosen.map(({ platformId }) => platformId))];
  const takers = ids.filter((id) => directory.platforms.get(id)?.firstComment === true);
  return (
    <>
      {firstComment !== null && (
        <div className="part">
          <TextField
            label="First comment"
            rows={2}
            dir="auto"
            hint={
              takers.length === 0
                ? 'None of the chosen platforms has first comments; it is left out.'
                : `Goes to ${takers.map(names.platform).join(' and ')}. It is left out elsewhere.`
            }
            value={firstComment}
            onChange={(words) => store.change({ firstComment: words })}
          />
          <Button
            look="quiet"
            onPress={() => toast('The first comment is removed.', removeFirstComment(store, composition))}
          >
            Remove the first comment
          </Button>
        </div>
      )}
      <TextField
        label="Tags"
        hint="For your lists and analytics; they are not published. Separate them with spaces."
        value={tags}
        onChange={(next) => store.change({ tags: next })}
      />
    </>
  );
}

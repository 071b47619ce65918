/** What can be done with the selected posts, and the result for each. */
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { Link } from '../../ui/link.tsx';
import { type BulkRun, countWords, onEach, useBulkActions } from './bulk-actions.ts';
import { type ActionName, type Post, POST_ACTIONS } from './post-actions.ts';
import { useTagActions } from './use-tag-actions.ts';

// Few visits change tags.
const TagDialog = lazy(() => import('./tag-dialog.tsx'));

export interface BulkBarProps {
  readonly posts: readonly Post[];
  readonly selected: ReadonlySet<string>;
  onSelect(ids: ReadonlySet<string>): void;
}

export function BulkBar({ posts, selected, onSelect }: BulkBarProps) {
  const { run, start, clear } = useBulkActions();
  const tagAction = useTagActions();
  // The posts that a question names: while it is open, the action may come to apply to more of the selected ones.
  const [asked, setAsked] = useState<{ readonly name: ActionName; readonly of: readonly Post[] } | null>(null);
  const [tagged, setTagged] = useState<readonly Post[] | null>(null);
  const chosen = posts.filter(({ id }) => selected.has(id));
  const begin = (name: ActionName, of: readonly Post[]) => {
    onSelect(new Set());
    start(onEach(POST_ACTIONS[name]), of);
  };
  const applicable = (Object.keys(POST_ACTIONS) as ActionName[])
    .map((name) => ({ name, of: chosen.filter(POST_ACTIONS[name].appliesTo) }))
    .filter(({ of }) => of.length > 0);
  if (posts.length === 0 && run === null && asked === null && tagged === null) return null;
  const isAll = chosen.length > 0 && chosen.length === posts.length;
  const isFree = run === null || run.isOver;

  return (
    <>
      <div className="bulk-bar" role="toolbar" aria-label="Selected posts">
        <Checkbox
          isSelected={isAll}
          isIndeterminate={chosen.length > 0 && !isAll}
          onChange={(all) => onSelect(new Set(all ? posts.map(({ id }) => id) : []))}
        >
          {chosen.length === 0 ? 'Select all loaded' : `${chosen.length} selected`}
        </Checkbox>
        {isFree &&
          applicable.map(({ name, of }) => (
            <Button key={name} onPress={() => (POST_ACTIONS[name].isFinal ? setAsked({ name, of }) : begin(name, of))}>
              {POST_ACTIONS[name].label} {of.length}
            </Button>
          ))}
        {isFree && chosen.length > 0 && <Button onPress={() => setTagged(chosen)}>Tag {chosen.length}</Button>}
        {!isFree && chosen.length > 0 && (
          <span className="hint">The next action can begin when the present one is over.</span>
        )}
      </div>
      {tagged !== null && (
        <Suspense>
          <TagDialog
            posts={tagged}
            onConfirm={(change) => {
              onSelect(new Set());
              start(tagAction(change), tagged);
            }}
            onClose={() => setTagged(null)}
          />
        </Suspense>
      )}
      {asked !== null && (
        <ConfirmDialog
          isOpen
          title={`${POST_ACTIONS[asked.name].label}: ${countWords(asked.of.length)}?`}
          action={POST_ACTIONS[asked.name].label}
          onConfirm={() => begin(asked.name, asked.of)}
          onClose={() => setAsked(null)}
        >
          <p>This cannot be undone. The result of each post is shown.</p>
        </ConfirmDialog>
      )}
      {run !== null && <BulkResults run={run} onClose={clear} />}
    </>
  );
}

function BulkResults({ run, onClose }: { run: BulkRun; onClose(): void }) {
  const { action, total, finished, results, isLimited, isOver, stop } = run;
  return (
    <section className="panel" aria-label="Results">
      <p role="status">
        {action.label}: {finished} of {total} finished.
        {isLimited && !isOver && ' The rate limit is reached; the rest follows automatically.'}
      </p>
      <ul className="rows bulk-results">
        {results.map(({ post, isDone, message }) => (
          <li key={post.id}>
            <b className={isDone ? 'good' : 'bad'}>{isDone ? 'Done' : 'Not done'}</b>{' '}
            <Link to="/posts/$postId" params={{ postId: post.id }} className="link">
              <bdi>{post.text.slice(0, 80)}</bdi>
            </Link>
            , {post.connectionSlug}: {message}
          </li>
        ))}
      </ul>
      {finished > results.length && <p className="hint">{finished - results.length} more are not listed.</p>}
      <Button onPress={isOver ? onClose : stop}>{isOver ? 'Close the results' : 'Stop'}</Button>
    </section>
  );
}

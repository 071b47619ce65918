/** Compose: one text for several connections, with all that goes with it, and what happened to it on each. */
import { type FormEvent, lazy, Suspense, useMemo } from 'react';
import { type Connection, useConnections, usePlatforms } from '../../data/connections.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useShortcuts } from '../../shell/shortcuts.ts';
import { useTitle } from '../../shell/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { useNow } from '../../ui/moment.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ApprovalNote } from './approval-note.tsx';
import { type Composition, isRepeatable, type Pending, type When as WhenValue } from './composition.ts';
import { LostNote } from './lost-note.tsx';
import { Problems } from './problems.tsx';
import { chosenOf, type Directory, type Platform } from './requests.ts';
import { Progress, Results } from './results.tsx';
import { SaveState, Unfinished } from './save-state.tsx';
import type { CompositionStore } from './store.ts';
import { Targets } from './targets.tsx';
import { TextEditor } from './text-editor.tsx';
import { Unanswered } from './unanswered.tsx';
import { useAutosave } from './use-autosave.ts';
import { useBeginning } from './use-beginning.ts';
import { useComposition } from './use-composition.ts';
import { useImages } from './use-images.ts';
import { useSend } from './use-send.ts';
import { useVerdicts } from './use-verdicts.ts';
import { When } from './when.tsx';
import './compose.css';

// Drag and drop and pickers are large, and a text can be written before they are there.
const ImagesEditor = lazy(() => import('./images-editor.tsx').then((module) => ({ default: module.ImagesEditor })));
const Preview = lazy(() => import('./preview.tsx').then((module) => ({ default: module.Preview })));

export function ComposeView() {
  useTitle('Compose');
  const connections = useConnections();
  const platforms = usePlatforms();
  return (
    <>
      <h1>Write a post</h1>
      <Refusal of="posts:write" />
      <Allowed to="posts:write">
        <QueryView what="the connections" query={connections}>
          {(data) => (
            <QueryView what="the platforms" query={platforms}>
              {({ platforms: list }) => <Editor connections={data.connections} platforms={list} />}
            </QueryView>
          )}
        </QueryView>
      </Allowed>
    </>
  );
}

interface EditorData {
  readonly connections: readonly Connection[];
  readonly platforms: readonly Platform[];
}

function Editor({ connections, platforms }: EditorData) {
  const { store, composition } = useComposition();
  const directory: Directory = useMemo(
    () => ({ connections, platforms: new Map(platforms.map((platform) => [platform.id, platform])) }),
    [connections, platforms],
  );
  const beginning = useBeginning(store, directory);
  const uploading = useImages(store, composition);
  const verdicts = useVerdicts(composition, directory);
  const autosave = useAutosave(store, composition, directory);
  const { uploads } = uploading;
  const sending = useSend({ store, composition, directory, uploads, autosave });
  const { send } = sending;
  useShortcuts([{ keys: 'mod+enter', label: 'Send what is written', group: 'Compose', run: send }]);

  const { pending } = composition;
  const chosen = chosenOf(composition, connections);
  const parts = { store, composition, directory, chosen, verdicts: verdicts.of };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  return (
    <>
      {beginning !== null && <ProblemView failure={beginning} />}
      <Unfinished store={store} autosave={autosave} />
      <div className="compose">
        <form className="panel" aria-label="Post" onSubmit={submit} noValidate>
          <SaveState {...parts} autosave={autosave} isSending={sending.isSending} />
          <TextEditor {...parts} />
          <Suspense fallback={<Loading what="the images" />}>
            <ImagesEditor {...parts} uploading={uploading} />
          </Suspense>
          <Targets
            connections={connections}
            chosen={chosen.map(({ id }) => id)}
            verdicts={verdicts.of}
            onChange={(targets) => store.change({ targets })}
          />
          <When {...parts} />
          <ApprovalNote {...parts} />
          <Problems verdicts={verdicts} chosen={chosen} />
          {!sending.isSending && <LostNote composition={composition} chosen={chosen} />}
          <SendButton pending={pending} when={composition.when} isSending={sending.isSending} />
          {sending.missing !== null && (
            <p className="problem" role="alert">
              {sending.missing}
            </p>
          )}
          <Outcome sending={sending} store={store} composition={composition} />
          {sending.isSending && <Progress {...sending.begun} />}
        </form>
        <PreviewPanel {...parts} />
      </div>
    </>
  );
}

const VERBS: Readonly<Record<WhenValue, string>> = {
  now: 'Publish',
  time: 'Schedule',
  queue: 'Add to the queue',
  draft: 'Keep the draft',
};

interface SendButtonProps {
  readonly pending: Pending | null;
  readonly when: WhenValue;
  readonly isSending: boolean;
}

function SendButton({ pending, when, isSending }: SendButtonProps) {
  const now = useNow();
  const isAsking = pending?.kind === 'send' && !isSending;
  // The two buttons of the message take its place.
  if (isAsking && !isRepeatable(pending, now)) return null;
  return (
    <Button look="primary" type="submit" isPending={isSending} aria-keyshortcuts="Control+Enter">
      {isAsking ? 'Ask again' : VERBS[when]}
    </Button>
  );
}

interface OutcomeProps {
  readonly sending: ReturnType<typeof useSend>;
  readonly store: CompositionStore;
  readonly composition: Composition;
}

function Outcome({ sending: { sent, error, isSending, sendAsNew }, store, composition }: OutcomeProps) {
  const { pending } = composition;
  const results = [...(sent?.elsewhere ?? []), ...(sent?.results ?? [])];
  const failures = [...(sent?.failures ?? []), ...(error === null ? [] : [error])];
  return (
    <>
      {failures.map((failure, index) => (
        // eslint-disable-next-line react/no-array-index-key
        <ProblemView key={index} failure={failure} />
      ))}
      {pending?.kind === 'send' && !isSending && (
        <Unanswered store={store} composition={composition} pending={pending} onSendAsNew={sendAsNew} />
      )}
      {results.length > 0 && !isSending && <Results results={results} />}
    </>
  );
}

/** Beside the text where there is room; below it on a phone. */
function PreviewPanel(props: Parameters<typeof TextEditor>[0]) {
  return (
    // It scrolls when it is long, so the keyboard must reach it.
    <section className="panel preview" aria-label="Preview" tabIndex={0}>
      <h2>Preview</h2>
      <Suspense fallback={<Loading what="the preview" />}>
        <Preview {...props} />
      </Suspense>
    </section>
  );
}

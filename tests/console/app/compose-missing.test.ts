/** What keeps a composition from being sent: it goes out whole or not at all. */
import { expect, it } from 'vitest';
import { newComposition } from '../../../console/app/views/compose/composition.ts';
import { missingIn } from '../../../console/app/views/compose/missing.ts';
import { BELL } from './compose-world.ts';

const DIRECTORY = { connections: [BELL], platforms: new Map() };
const WHOLE = { ...newComposition(), text: 'Ding', targets: [BELL.id] };

/** An upload that runs, unless it says otherwise. */
function upload(name: string, outcome: { refusal?: string; failure?: Error } = {}) {
  const file = new File([], name);
  return { id: 1, compositionId: WHOLE.id, file, refusal: null, failure: null, ...outcome };
}

const RUNNING = upload('running.png');
const FAILED = upload('failed.png', { failure: new Error('No answer') });
const REFUSED = upload('words.txt', { refusal: 'This file is text/plain.' });

it.each([
  ['nothing of a whole one', WHOLE, [], null],
  ['its text', { ...WHOLE, text: ' ' }, [FAILED], 'There is no text yet. Write what is to be posted.'],
  ['its connections', { ...WHOLE, targets: [] }, [FAILED], 'No connection is chosen. Choose at least one.'],
  ['an upload that runs', WHOLE, [RUNNING], 'An image is still being uploaded. Wait for it.'],
  [
    'an upload that failed, by its name',
    WHOLE,
    [RUNNING, FAILED],
    'failed.png was not uploaded. Upload it again, or leave it out.',
  ],
  ['a file that the service does not take', WHOLE, [REFUSED], 'words.txt cannot be uploaded. Leave it out.'],
])('%s is missing', (_what, composition, uploads, message) => {
  expect(missingIn(composition, DIRECTORY, uploads)).toBe(message);
});

/** What keeps a composition from being sent. */
import type { Composition } from './composition.ts';
import { chosenOf, type Directory } from './requests.ts';
import type { Upload } from './uploads.ts';

/** Names the first thing that is missing; null when nothing is. @param uploads those of this composition */
export function missingIn(
  composition: Composition,
  { connections }: Directory,
  uploads: readonly Upload[],
): string | null {
  const { text, variants, when, time } = composition;
  const hasText = text.trim() !== '' || Object.values(variants).some((words) => words.trim() !== '');
  if (!hasText) return 'There is no text yet. Write what is to be posted.';
  if (chosenOf(composition, connections).length === 0) return 'No connection is chosen. Choose at least one.';
  if (when === 'time' && time === '') return 'The date or the time is missing. Give both, or choose Now.';
  const failed = uploads.find(({ refusal, failure }) => refusal !== null || failure !== null);
  if (failed === undefined) return uploads.length > 0 ? 'An image is still being uploaded. Wait for it.' : null;
  const { file, refusal } = failed;
  return refusal === null
    ? `${file.name} was not uploaded. Upload it again, or leave it out.`
    : `${file.name} cannot be uploaded. Leave it out.`;
}

/** How the post will look on a platform: the text that the service would send, its images, replies and first comment. */
import { useState } from 'react';
import { useNames } from '../../data/connections.ts';
import { type LookPart, PostLook } from '../../ui/post-look.tsx';
import { Select } from '../../ui/select.tsx';
import { changesInWords } from './image-changes.ts';
import { LookPictures } from './look-pictures.tsx';
import type { EditorProps } from './text-editor.tsx';
import type { Verdict } from './use-verdicts.ts';

export function Preview({ composition, directory, chosen, verdicts }: EditorProps) {
  const names = useNames();
  const [wanted, setWanted] = useState('');
  const firsts = [...Map.groupBy(chosen, ({ platformId }) => platformId).values()].flatMap(([first]) => first ?? []);
  const connection = firsts.find(({ id }) => id === wanted) ?? firsts[0];
  if (connection === undefined) return <p className="hint">Choose a connection to see how the post looks there.</p>;
  const verdict = verdicts.get(connection.id);
  const platform = directory.platforms.get(connection.platformId);
  const text = verdict?.text ?? composition.variants[connection.platformId] ?? composition.text;
  const replies = platform?.thread === false ? [] : composition.thread.filter((reply) => reply.trim() !== '');
  const comment = platform?.firstComment === true ? (composition.firstComment ?? '') : '';
  const images = platform?.images === null ? [] : composition.images;
  const parts: LookPart[] = [
    { kind: 'Post', text, pictures: images.length > 0 && <LookPictures images={images} /> },
    ...replies.map((reply): LookPart => ({ kind: 'Reply', text: reply })),
    ...(comment.trim() === '' ? [] : [{ kind: 'First comment', text: comment } as const]),
  ];
  return (
    <>
      {firsts.length > 1 && (
        <Select
          label="Platform"
          value={connection.id}
          choices={firsts.map(({ id, platformId }) => ({ value: id, label: names.platform(platformId) }))}
          onChange={setWanted}
        />
      )}
      <PostLook
        platformId={connection.platformId}
        slug={connection.slug}
        description={connection.description}
        parts={parts}
      />
      <ImageNotes verdict={verdict} />
    </>
  );
}

function ImageNotes({ verdict }: { verdict: Verdict | undefined }) {
  const notes = (verdict?.images ?? []).flatMap((outcome, index) => {
    const words = changesInWords(outcome);
    return words === null ? [] : [`Image ${index + 1}: ${words}`];
  });
  if (notes.length === 0) return null;
  return (
    <ul className="hint outcomes" aria-label="Changes to images">
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

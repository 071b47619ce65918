/** How the post will look on a platform: the text that the service would send, its images, replies and first comment. */
import { useRef, useState } from 'react';
import { type Connection, useNames } from '../../data/connections.ts';
import { MediaImage } from '../../data/images/media-image.tsx';
import { Select } from '../../ui/select.tsx';
import type { ComposedImage } from './composition.ts';
import { changesInWords } from './image-changes.ts';
import { lookOf } from './looks.ts';
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
      <div className={`look look-${lookOf(connection.platformId).layout}`}>
        <Part connection={connection} text={text} images={platform?.images === null ? [] : composition.images} isHead />
        {replies.map((reply, index) => (
          // A reply has no identity but its place.
          // eslint-disable-next-line react/no-array-index-key
          <Part key={index} connection={connection} text={reply} images={[]} />
        ))}
        {comment.trim() !== '' && <Part connection={connection} text={comment} images={[]} isComment />}
      </div>
      <ImageNotes verdict={verdict} />
    </>
  );
}

interface PartProps {
  readonly connection: Connection;
  readonly text: string;
  readonly images: readonly ComposedImage[];
  readonly isHead?: true;
  readonly isComment?: true;
}

function Part({ connection: { slug, description, platformId }, text, images, isHead, isComment }: PartProps) {
  const { layout, actions, foldsAfter = Infinity, hasTitle } = lookOf(platformId);
  const [title, body] = hasTitle === true && isHead === true ? titleOf(text) : [null, text];
  const folded = body.length > foldsAfter ? `${body.slice(0, foldsAfter).trimEnd()}…` : body;
  const words = (
    <>
      {title !== null && (
        <p className="look-title" dir="auto">
          {title}
        </p>
      )}
      <p className="post-text" dir="auto">
        {folded} {folded !== body && <span className="soft">more</span>}
      </p>
    </>
  );
  const pictures = images.length > 0 && <Pictures images={images} />;
  return (
    <article
      className="look-part"
      aria-label={isComment === true ? 'First comment' : isHead === true ? 'Post' : 'Reply'}
    >
      <header className="look-head">
        <span className="look-avatar" aria-hidden>
          {(description || slug).slice(0, 1).toUpperCase()}
        </span>
        <span>
          <b>
            <bdi>{description}</bdi>
          </b>{' '}
          <span className="soft">{slug}</span>
        </span>
      </header>
      {layout === 'photo' ? (
        <>
          {pictures}
          {words}
        </>
      ) : (
        <>
          {words}
          {pictures}
        </>
      )}
      {actions.length > 0 && (
        <p className="look-actions soft" aria-hidden>
          {actions.join(' · ')}
        </p>
      )}
    </article>
  );
}

/** The first line, and the rest. */
function titleOf(text: string): [string, string] {
  const [title = '', ...lines] = text.split('\n');
  return [title, lines.join('\n')];
}

function Pictures({ images }: { images: readonly ComposedImage[] }) {
  const place = useRef<HTMLDivElement>(null);
  return (
    <div ref={place} className={`look-pictures look-pictures-${Math.min(images.length, 4)}`}>
      {images.map((image) => (
        <MediaImage key={image.id} media={image} alt={image.altText} place={place} />
      ))}
    </div>
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

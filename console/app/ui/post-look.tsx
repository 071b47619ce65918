/** How a post looks on a platform: its text, images, replies and first comment. */
import type { ReactNode } from 'react';
import { lookOf } from './looks.ts';
import './post-look.css';

export interface LookPart {
  readonly kind: 'Post' | 'Reply' | 'First comment';
  readonly text: string;
  readonly pictures?: ReactNode;
}

export interface PostLookProps {
  readonly platformId: string;
  readonly slug: string;
  /** Label of the connection for people. */
  readonly description: string;
  readonly parts: readonly LookPart[];
}

export function PostLook({ parts, ...author }: PostLookProps) {
  return (
    <div className={`look look-${lookOf(author.platformId).layout}`}>
      {parts.map((part, index) => (
        // A part has no identity but its place.
        // eslint-disable-next-line react/no-array-index-key
        <Part key={index} {...author} {...part} />
      ))}
    </div>
  );
}

function Part({ platformId, slug, description, kind, text, pictures }: Omit<PostLookProps, 'parts'> & LookPart) {
  const { layout, actions, foldsAfter = Infinity, hasTitle } = lookOf(platformId);
  const [title, body] = hasTitle === true && kind === 'Post' ? titleOf(text) : [null, text];
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
  return (
    <article className="look-part" aria-label={kind}>
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

/** Warns that drafts of the text are gone without a trace, until something else is written or the button is pressed. */
import type { Connection } from '../../data/connections.ts';
import { Link } from '../../ui/link.tsx';
import type { Composition } from './composition.ts';
import { lostTargets } from './lost-drafts.ts';
import { namesOf } from './problems.tsx';

export interface LostNoteProps {
  readonly composition: Composition;
  readonly chosen: readonly Connection[];
}

export function LostNote({ composition, chosen }: LostNoteProps) {
  const lost = new Set(lostTargets(composition));
  const slugs = chosen.flatMap(({ id, slug }) => (lost.has(id) ? [slug] : []));
  if (slugs.length === 0) return null;
  return (
    <p className="problem" role="alert">
      The draft for <b>{namesOf(slugs)}</b> is gone or cannot be read, so this text may have gone out from elsewhere.
      Look under{' '}
      <Link to="/posts" className="link">
        Posts
      </Link>{' '}
      before you press the button.
    </p>
  );
}

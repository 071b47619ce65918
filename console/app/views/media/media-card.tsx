/** One image with what is known of it. */
import { useRef } from 'react';
import { MediaImage } from '../../data/images/media-image.tsx';
import type { Outputs } from '../../data/trpc.ts';
import { Allowed } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { bytesInWords } from '../../ui/sizes.ts';

export type Media = Outputs['media']['list']['media'][number];

/** How long an image that no post names is kept. */
const KEPT_UNUSED_MS = 7 * 86_400_000;

export interface MediaCardProps {
  readonly media: Media;
  /** Whether it is listed because no post names it. */
  readonly isUnused: boolean;
  onDelete(): void;
}

export function MediaCard({ media, isUnused, onDelete }: MediaCardProps) {
  const { altText, contentType, sizeBytes, width, height, createdAt } = media;
  const place = useRef<HTMLLIElement>(null);
  const type = contentType.replace('image/', '').toUpperCase();
  const freedAt = new Date(new Date(createdAt).getTime() + KEPT_UNUSED_MS).toISOString();
  return (
    <li ref={place} className="media-card">
      <div className="media-picture">
        <MediaImage media={media} alt={altText ?? ''} place={place} />
      </div>
      {altText === null ? <p className="soft">No alt text</p> : <p dir="auto">{altText}</p>}
      <p className="hint">
        {type}, {width} × {height}, {bytesInWords(sizeBytes)}
      </p>
      <p className="hint">
        Uploaded <QuietMoment at={createdAt} />
      </p>
      {isUnused && (
        <p className="hint">
          Freed <QuietMoment at={freedAt} /> unless a post names it
        </p>
      )}
      <Allowed to="posts:write">
        <Button
          look="quiet"
          aria-label={`Delete the image: ${altText ?? `${type}, ${width} × ${height}`}`}
          onPress={onDelete}
        >
          Delete
        </Button>
      </Allowed>
    </li>
  );
}

/** The images in an endless grid: more are read before its end is reached, or by the button there. */
import { useRef } from 'react';
import type { EndlessQuery } from '../../ui/endless-query.ts';
import { ShowMore } from '../../ui/show-more.tsx';
import { type Media, MediaCard } from './media-card.tsx';

export interface MediaGridProps {
  readonly media: readonly Media[];
  readonly isUnused: boolean;
  onDelete(media: Media): void;
  readonly query: EndlessQuery;
}

export function MediaGrid({ media, isUnused, onDelete, query }: MediaGridProps) {
  const grid = useRef<HTMLUListElement>(null);
  return (
    <>
      <ul ref={grid} tabIndex={-1} className="media-grid" aria-label="Images, newest first">
        {media.map((item) => (
          <MediaCard
            key={item.id}
            media={item}
            isUnused={isUnused}
            onDelete={() => {
              // The button disappears with its image.
              grid.current?.focus({ preventScroll: true });
              onDelete(item);
            }}
          />
        ))}
      </ul>
      <ShowMore what="images" query={query} />
    </>
  );
}

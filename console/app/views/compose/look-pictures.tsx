/** The images of a post as they look on a platform. */
import { useRef } from 'react';
import { MediaImage } from '../../data/images/media-image.tsx';

export interface LookImage {
  readonly id: string;
  readonly altText: string;
  readonly width: number;
  readonly height: number;
}

export function LookPictures({ images }: { images: readonly LookImage[] }) {
  const place = useRef<HTMLDivElement>(null);
  return (
    <div ref={place} className={`look-pictures look-pictures-${Math.min(images.length, 4)}`}>
      {images.map((image) => (
        <MediaImage key={image.id} media={image} alt={image.altText} place={place} />
      ))}
    </div>
  );
}

/** Shows an uploaded image. The browser loads it for a signed-in person; for a key, its bytes are read and held. */
import { type RefObject, useState } from 'react';
import { useSession } from '../../shell/session-context.ts';
import { HeldImage } from '../../ui/held-image.tsx';
import { useImage } from './use-image.ts';

export interface MediaImageProps {
  readonly media: { readonly id: string; readonly width: number; readonly height: number };
  readonly alt: string;
  /** The element near which the bytes are read. */
  readonly place: RefObject<Element | null>;
}

export function MediaImage(props: MediaImageProps) {
  return useSession().kind === 'person' ? <LoadedImage {...props} /> : <ReadImage {...props} />;
}

function LoadedImage({ media: { id, width, height }, alt }: MediaImageProps) {
  const [hasFailed, setFailed] = useState(false);
  if (hasFailed) return <Unreadable />;
  return (
    <img
      src={`/owner/media/${id}`}
      alt={alt}
      width={width}
      height={height}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(true)}
    />
  );
}

function ReadImage({ media: { id, width, height }, alt, place }: MediaImageProps) {
  const { bytes, hasFailed } = useImage(id, place);
  if (hasFailed) return <Unreadable />;
  return bytes === undefined ? null : <HeldImage bytes={bytes} alt={alt} width={width} height={height} />;
}

function Unreadable() {
  return <span className="hint">The image could not be read.</span>;
}

/** Shows an image whose bytes the page holds. */
import { type ImgHTMLAttributes, useEffect, useRef } from 'react';

export interface HeldImageProps extends Omit<ImgHTMLAttributes<HTMLImageElement>, 'src'> {
  readonly bytes: Blob;
  readonly alt: string;
}

export function HeldImage({ bytes, alt, ...props }: HeldImageProps) {
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    const address = URL.createObjectURL(bytes);
    image.current?.setAttribute('src', address);
    return () => URL.revokeObjectURL(address);
  }, [bytes]);
  return <img ref={image} alt={alt} {...props} />;
}

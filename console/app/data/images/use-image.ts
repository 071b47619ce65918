/** Reads the bytes of images to show them in the session of a key, which an <img> cannot send. */
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useState } from 'react';
import type { Api } from '../api-types.ts';
import { useTRPCClient } from '../trpc.ts';

/** How many images are read at once: calls made together share one answer, and images are large. */
const AT_ONCE = 2;

/** Distance from the screen at which an image is read. */
const AHEAD = '400px';

/** For how long an image is kept after it was shown. */
const KEPT_MS = 120_000;

let running = 0;
const waiting: (() => void)[] = [];

/** Bytes of an image once its element is near the screen; undefined until they are read. */
export function useImage(mediaId: string, element: RefObject<Element | null>) {
  const api = useTRPCClient();
  const isNear = useIsNear(element);
  const query = useQuery({
    queryKey: ['image', mediaId],
    queryFn: ({ signal }) => readImage(api, mediaId, signal),
    enabled: isNear,
    // An image never changes.
    staleTime: 'static',
    gcTime: KEPT_MS,
  });
  return { bytes: query.data, hasFailed: query.isError };
}

async function readImage(api: Api, mediaId: string, signal: AbortSignal): Promise<Blob> {
  if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    const { bytes, contentType } = await api.media.raw.query({ mediaId }, { signal });
    return new Blob([Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0))], { type: contentType });
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

function useIsNear(element: RefObject<Element | null>): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (element.current === null || isNear) return;
    const observer = new IntersectionObserver((entries) => setNear(entries.some((entry) => entry.isIntersecting)), {
      rootMargin: AHEAD,
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element, isNear]);
  return isNear;
}

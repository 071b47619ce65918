/** An image in the wire format (docs/contract/media.md#uploads). */
import { timestamp } from '../timestamp.ts';
import type { ImageType } from './limits.ts';

export interface MediaView {
  id: string;
  contentType: ImageType;
  sizeBytes: number;
  width: number;
  height: number;
  altText: string | null;
  createdAt: string;
}

/** The columns that a view is built from. */
export interface MediaRow {
  id: string;
  content_type: ImageType;
  size_bytes: number;
  width: number;
  height: number;
  alt_text: string | null;
  created_at: string | Date;
}

export const MEDIA_COLUMNS = 'id, content_type, size_bytes, width, height, alt_text, created_at';

export function mediaView(row: MediaRow): MediaView {
  const { id, content_type: contentType, size_bytes: sizeBytes, width, height, alt_text: altText } = row;
  return { id, contentType, sizeBytes, width, height, altText, createdAt: timestamp(row.created_at) };
}

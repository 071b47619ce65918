/** An image in the wire format (docs/contract/media.md#uploads). */
import type { Tables } from '../../entities/tables.ts';
import { timestamp } from '../timestamp.ts';

/** The columns that a view is built from. */
export const MEDIA_COLUMNS = ['id', 'content_type', 'size_bytes', 'width', 'height', 'alt_text', 'created_at'] as const;

export type MediaRow = Pick<Tables['media'], (typeof MEDIA_COLUMNS)[number]>;

/** What is returned is the wire format: routers/schemas/media.ts satisfies its type. */
export function mediaView(row: MediaRow) {
  const { id, content_type: contentType, size_bytes: sizeBytes, width, height, alt_text: altText } = row;
  return { id, contentType, sizeBytes, width, height, altText, createdAt: timestamp(row.created_at) };
}

export type MediaView = ReturnType<typeof mediaView>;

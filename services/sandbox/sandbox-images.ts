/** The images of sandbox posts on public pages: converted from the upload without metadata, and cached. */
import { createHash } from 'node:crypto';
import { columns } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import type { ImageFacts } from '../../platforms/contract.ts';
import { platformOf, TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { convertForRequest } from '../media/convert-for-request.ts';
import type { ConvertedImage } from '../images/convert-image.ts';
import { createImageCache } from '../media/image-cache.ts';
import { readStoredImage, STORED_IMAGE_COLUMNS } from '../media/read-stored-image.ts';
import { PUBLIC_PAGES } from '../images/image-work.ts';

/** Bytes of images that a process caches: the images of a page or two of a timeline. */
const KEPT_BYTES = 32 * 1024 * 1024;

/** All public pages share one owner, so that together they take one turn among the accounts that upload. */
const OWNER = 'sandbox pages';

const IMAGE = columns('media', ['content_type', ...STORED_IMAGE_COLUMNS], 'm');

const findImage = statement('find an image of a sandbox post', {
  parameters: { sandboxPostId: 'uuid', position: 'int' },
  result: IMAGE.types,
  sql: ({ sandboxPostId, position }) => `
    select ${IMAGE.sql} from sandbox_posts s join media m on m.id = (s.images -> ${position} ->> 'mediaId')::uuid
    where s.id = ${sandboxPostId} and s.deleted_at is null and m.state = 'stored'`,
});

/** An image of a published post. */
export interface SandboxImageFile {
  /**
   * A strong ETag, in quotes. It needs no conversion: an upload never changes, and one release always produces the same
   * image.
   */
  readonly etag: string;
  /**
   * @returns null when the upload was removed meanwhile
   * @throws ServiceError server_busy, storage_unavailable
   */
  read(): Promise<ConvertedImage | null>;
}

/** Finds the image of a post at a position from 0; null when there is none, or its upload was deleted or freed. */
export type SandboxImages = (sandboxPostId: string, position: number) => Promise<SandboxImageFile | null>;

export function createSandboxImages(context: Context): SandboxImages {
  const cache = createImageCache(KEPT_BYTES);
  const facts = platformOf(context.platforms, TEST_PLATFORM).images as ImageFacts;
  return async (sandboxPostId, position) => {
    const [row] = await findImage(context.db.queries, { sandboxPostId, position });
    if (row === undefined) return null;
    const load = (signal?: AbortSignal) => readStoredImage(context, row, signal);
    const convert = () =>
      convertForRequest(context, { owner: OWNER, limit: PUBLIC_PAGES }, { type: row.content_type, facts, load });
    return { etag: etagOf(row.id, context.version), read: () => cache.get(row.id, convert) };
  };
}

/** A hash, so that ids of uploads are not public. */
function etagOf(mediaId: string, version: string): string {
  return `"${createHash('sha256').update(`${mediaId} ${version}`).digest('base64url')}"`;
}

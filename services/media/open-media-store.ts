/** Creates the configured media store. It opens nothing before its first use. */
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createFileMediaStore } from './file-media-store.ts';
import type { MediaStore } from '../ports/media-store.ts';
import { createS3MediaStore } from './s3-media-store.ts';

export function openMediaStore({ mediaStore, dataDir }: Config, clock: Clock): MediaStore {
  return mediaStore.kind === 's3'
    ? createS3MediaStore(mediaStore, clock)
    : createFileMediaStore(join(dataDir, 'media'));
}

/** The manifest of a backup: what is in its folder, and by which version it was made. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { isPresent } from '../is-present.ts';

/** The format that this version writes, and the newest that it reads. */
export const BACKUP_FORMAT = 1;

export const MANIFEST_FILE = 'manifest.json';

/** Files of a backup. The images are absent with S3, the keys when they come from ENCRYPTION_KEYS. */
export const PART_FILES = { database: 'database.tar.gz', images: 'images.tar', keys: 'keys.json' } as const;
export type PartName = keyof typeof PART_FILES;

const Part = z.strictObject({
  file: z.string().regex(/^[\w.-]+$/),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Part = z.infer<typeof Part>;

export const Manifest = z.strictObject({
  format: z.literal(BACKUP_FORMAT),
  /** Version of Carillon that made the backup. */
  version: z.string(),
  /** The instant that the database in the backup shows. */
  createdAt: z.iso.datetime(),
  /** Who asked for it: backups of the schedule are removed when there are more than BACKUP_KEEP. */
  origin: z.enum(['schedule', 'operator']),
  /** Tells backups of one install from those of another in the same folder. */
  installId: z.string(),
  /** Names of the migrations of its schema, in their order. */
  migrations: z.array(z.string()).min(1),
  /** Marks of the keys that the install had. They identify a key and do not reveal it. */
  keyMarks: z.array(z.string()).min(1),
  /** Number of images in the backup; null when they are in S3. */
  images: z.int().min(0).nullable(),
  parts: z.strictObject({ database: Part, images: Part.optional(), keys: Part.optional() }),
});
export type Manifest = z.infer<typeof Manifest>;

/** A backup and its folder. */
export interface Backup {
  readonly path: string;
  readonly manifest: Manifest;
  /** Sum of its parts. */
  readonly bytes: number;
  /** Where the keys are: in the folder, in a file that the operator keeps elsewhere, or in ENCRYPTION_KEYS of its install. */
  readonly keys: 'included' | 'elsewhere' | 'environment';
}

/** What is wrong with a backup, in a sentence for the operator. */
export class BackupError extends Error {
  override name = 'BackupError';
}

/** @throws BackupError */
export async function readBackup(path: string): Promise<Backup> {
  const text = await readFile(join(path, MANIFEST_FILE), 'utf8').catch(() => {
    throw new BackupError(`${path} is not a backup: it has no ${MANIFEST_FILE}.`);
  });
  const manifest = parseManifest(path, text);
  const { keys } = manifest.parts;
  const isMoved = keys !== undefined && !(await isPresent(join(path, keys.file)));
  return isMoved ? { ...backupAt(path, manifest), keys: 'elsewhere' } : backupAt(path, manifest);
}

/** A backup whose folder has all of its parts. */
export function backupAt(path: string, manifest: Manifest): Backup {
  const bytes = Object.values(manifest.parts).reduce((sum, part) => sum + (part?.bytes ?? 0), 0);
  return { path, manifest, bytes, keys: manifest.parts.keys === undefined ? 'environment' : 'included' };
}

function parseManifest(path: string, text: string): Manifest {
  const json = parseJson(text) as { format?: unknown } | null;
  const format = json?.format;
  if (typeof format === 'number' && format > BACKUP_FORMAT) {
    throw new BackupError(
      `${path} has the format ${format}, and this version reads up to ${BACKUP_FORMAT}. Install the version that made it.`,
    );
  }
  const parsed = Manifest.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new BackupError(`${join(path, MANIFEST_FILE)} is damaged: ${issue?.path.join('.')}: ${issue?.message}.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Compares size and hash of every part in the folder. @throws BackupError that names the first part that differs or is missing */
export async function checkParts({ path, manifest, keys }: Backup): Promise<void> {
  for (const [name, part] of Object.entries(manifest.parts)) {
    if (part === undefined || (name === 'keys' && keys === 'elsewhere')) continue;
    const found = await measureFile(path, part.file).catch(() => null);
    if (found === null) throw new BackupError(`${join(path, part.file)} is missing.`);
    if (found.bytes !== part.bytes) {
      throw new BackupError(`${join(path, part.file)} has ${found.bytes} bytes instead of ${part.bytes}.`);
    }
    if (found.sha256 !== part.sha256) {
      throw new BackupError(`${join(path, part.file)} is damaged: its SHA-256 is not the one in ${MANIFEST_FILE}.`);
    }
  }
}

export async function measureFile(folder: string, file: string): Promise<Part> {
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(createReadStream(join(folder, file)), async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  });
  return { file, bytes, sha256: hash.digest('hex') };
}

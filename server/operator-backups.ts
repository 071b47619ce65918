/** Operator endpoints for backups of the embedded database: make one, list and check those that there are. */
import { isAbsolute } from 'node:path';
import { Router } from 'express';
import { z } from 'zod';
import { invalidInput } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { WithBackups } from '../services/backups/backup-schedule.ts';
import { listBackups } from '../services/backups/list-backups.ts';
import type { Backup } from '../services/backups/manifest.ts';
import type { Context } from '../services/context.ts';
import { jsonBody } from './utf8.ts';

const Wanted = z.strictObject({ folder: z.string().min(1).refine(isAbsolute, 'an absolute path').optional() });

/** Real milliseconds that a request waits for a backup: less than clients wait for an answer. */
const ANSWER_WITHIN_MS = 60_000;

/** A backup as the command line shows it. */
export interface BackupView {
  readonly path: string;
  readonly createdAt: string;
  readonly version: string;
  readonly origin: 'operator' | 'schedule';
  readonly bytes: number;
  /** Null when they are in S3. */
  readonly images: number | null;
  /** Whether its folder has the encryption key. */
  readonly hasKeys: boolean;
  /** Whether the operator keeps the file with the encryption key elsewhere. */
  readonly hasKeysElsewhere: boolean;
}

export const backupView = ({ path, manifest, bytes, keys }: Backup): BackupView => ({
  path,
  createdAt: manifest.createdAt,
  version: manifest.version,
  origin: manifest.origin,
  bytes,
  images: manifest.images,
  hasKeys: keys === 'included',
  hasKeysElsewhere: keys === 'elsewhere',
});

/** Mounted at /operator/backups, behind the operator's token. */
export function operatorBackups(context: Context & WithBackups): Router {
  const router = Router();
  /** The backup that the operator asked for last. */
  let asked: Promise<Backup> | null = null;
  const answer = async () => {
    if (asked === null) throw new ServiceError('not_found', 'No backup is being made.');
    const waited = Promise.withResolvers<null>();
    context.clock.deadline(ANSWER_WITHIN_MS).addEventListener('abort', () => waited.resolve(null));
    const backup = await Promise.race([asked, waited.promise]);
    return { backup: backup === null ? null : backupView(backup) };
  };
  router.get('/', async (_request, response) => {
    const backups = await listBackups(context.config.backups.folder);
    response.json({ folder: context.config.backups.folder, backups: backups.map(backupView) });
  });
  router.get('/latest', async (_request, response) => {
    response.json(await answer());
  });
  router.post('/', jsonBody('10kb'), async (request, response) => {
    const given = Wanted.safeParse(request.body ?? {});
    if (!given.success) throw invalidInput(given.error, request.body);
    const made = context.backups.create(given.data.folder);
    asked = made;
    void made.then(
      ({ path, bytes }) => context.log.info({ backup: path, bytes }, 'the operator made a backup'),
      () => undefined,
    );
    response.json(await answer());
  });
  return router;
}

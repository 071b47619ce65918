/** The keys that logins are encrypted with: from the environment, or one generated into DATA_DIR at the first start. */
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../services/clock.ts';
import type { Config } from '../services/config.ts';
import { ConfigError } from './config.ts';

/** @throws ConfigError when the stored key is unreadable. */
export async function encryptionKeys(config: Config, random: Random): Promise<readonly Buffer[]> {
  if (config.encryptionKeys !== undefined) return config.encryptionKeys;
  const file = join(config.dataDir, 'encryption.key');
  await storeOnce(config.dataDir, file, `${random.bytes(32).toString('base64')}\n`).catch((error: Error) => {
    throw new ConfigError(`DATA_DIR: the encryption key cannot be kept in ${config.dataDir} (${error.message})`, {
      cause: error,
    });
  });
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'base64');
  if (key.length !== 32) throw new ConfigError(`ENCRYPTION_KEYS: ${file} does not hold a base64 key of 32 bytes`);
  return [key];
}

/** Writes a file unless it is there. It appears whole or not at all, and of two first starts both read what one wrote. */
async function storeOnce(folder: string, file: string, content: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

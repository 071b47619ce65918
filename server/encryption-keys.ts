/** The keys that encrypt credentials: from the environment, or one generated into DATA_DIR at the first start. */
import { join } from 'node:path';
import type { Random } from '../services/clock.ts';
import type { Config } from '../services/config.ts';
import { ConfigError } from './config.ts';
import { readOrCreateSecret } from './stored-secret.ts';

const FILE = 'encryption.key';

/** @throws ConfigError when the stored key is unreadable. */
export async function encryptionKeys(
  { encryptionKeys: given, dataDir }: Config,
  random: Random,
): Promise<readonly Buffer[]> {
  if (given !== undefined) return given;
  const stored = await readOrCreateSecret(dataDir, FILE, () => random.bytes(32).toString('base64')).catch(
    (error: Error) => {
      throw new ConfigError(`DATA_DIR: the encryption key cannot be stored in ${dataDir} (${error.message})`, {
        cause: error,
      });
    },
  );
  const key = Buffer.from(stored, 'base64');
  if (key.length !== 32) {
    throw new ConfigError(`ENCRYPTION_KEYS: ${join(dataDir, FILE)} does not contain a base64 key of 32 bytes`);
  }
  return [key];
}

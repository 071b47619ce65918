/** The operator's token: from the environment, or generated into DATA_DIR at the first start. */
import type { Random } from '../services/clock.ts';
import type { Config } from '../services/config.ts';
import { ConfigError } from './config.ts';
import { OPERATOR_TOKEN_FILE } from './operator-token-file.ts';
import { readOrCreateSecret } from './stored-secret.ts';

/** @throws ConfigError when the token cannot be stored. */
export function operatorToken({ operatorToken: given, dataDir }: Config, random: Random): Promise<string> {
  if (given !== undefined) return Promise.resolve(given);
  return readOrCreateSecret(dataDir, OPERATOR_TOKEN_FILE, () => random.bytes(32).toString('base64url')).catch(
    (error: Error) => {
      throw new ConfigError(`DATA_DIR: the operator's token cannot be stored in ${dataDir} (${error.message})`, {
        cause: error,
      });
    },
  );
}

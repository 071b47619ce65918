/** A new file for a secret that an answer has once. It is created before the call, so that a wrong path loses no secret. */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { CommandError } from './failure.ts';

/**
 * Makes a call whose answer has a secret, and stores that.
 *
 * @param secretOf the secret of an answer
 * @returns the answer, and whether its secret is stored; the caller has to print it when it is not
 * @throws CommandError when the file is there or cannot be created; then nothing was called
 */
export async function withSecretFile<Body>(
  file: string,
  call: () => Promise<Body>,
  secretOf: (body: Body) => string,
): Promise<{ body: Body; isStored: boolean }> {
  const handle = await open(file, 'wx', 0o600).catch((error: Error) => {
    throw new CommandError('failed', `${file} cannot be created (${error.message}). Nothing was changed.`);
  });
  try {
    const body = await call();
    return { body, isStored: await store(handle, secretOf(body)) };
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/** The answer has the only copy of the secret, so a disk that is full now must not lose it. */
async function store(handle: FileHandle, secret: string): Promise<boolean> {
  try {
    await handle.writeFile(`${secret}\n`);
    await handle.sync();
    return true;
  } catch {
    return false;
  }
}

/** Makes the names of files survive a power loss. */
import { open } from 'node:fs/promises';

/** Makes renames and new names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => null);
  // Windows opens no folders.
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

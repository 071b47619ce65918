/** Whether a file or folder is there. */
import { access, constants } from 'node:fs/promises';

/** @param mode such as `constants.W_OK`, for one that can be written to */
export function isPresent(path: string, mode: number = constants.F_OK): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

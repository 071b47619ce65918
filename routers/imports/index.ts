/** Operations on imports of posts. */
import { router } from '../procedures.ts';
import { cancelImport } from './cancel-import.ts';
import { getImport } from './get-import.ts';
import { listImports } from './list-imports.ts';
import { startImport } from './start-import.ts';

export const importsRouter = router({
  start: startImport,
  list: listImports,
  get: getImport,
  cancel: cancelImport,
});

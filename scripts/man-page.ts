/** Writes cli/carillon.1 from the commands. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { manPage } from '../cli/man-page.ts';

writeFileSync(path.join(import.meta.dirname, '..', 'cli', 'carillon.1'), manPage());

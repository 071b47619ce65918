/**
 * imports: creates the posts of imported files, row by row. Safe to run in parallel: one worker at a time holds an import,
 * and a row is settled in the transaction that stores its posts.
 */
import { nextImportAt, runImports } from '../services/imports/run-imports.ts';
import type { Loop } from './loop.ts';

export const imports: Loop = {
  name: 'imports',
  newWorkWithinMs: 1_000,
  run: runImports,
  nextDueAt: nextImportAt,
};

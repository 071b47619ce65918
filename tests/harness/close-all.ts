/** Set-up of every test file: what it leaves open is closed after it. */
import { afterAll } from 'vitest';
import { closeAll } from './closing.ts';

afterAll(closeAll);

/** Set-up of every test file: closes afterwards what the file leaves open. */
import { afterAll } from 'vitest';
import { closeAll } from './closing.ts';

afterAll(closeAll);

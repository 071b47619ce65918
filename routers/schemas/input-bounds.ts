/**
 * Limits the shape of any input before a schema checks it. A schema reads every item of a list before it reports that
 * there are too many.
 */
import { ServiceError } from '../../errors/service-error.ts';

/** Nested lists and objects: our deepest input has five levels. */
const DEPTH_MAX = 32;

/** Items of one list and fields of one object: our longest list has a hundred. */
const ITEMS_MAX = 1_000;

/** Total number of values. */
const VALUES_MAX = 20_000;

interface Pending {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/**
 * @throws ServiceError invalid_request, naming the place, when an input is nested deeper or longer than any operation
 *   accepts
 */
export function checkInputBounds(input: unknown): void {
  const pending: Pending[] = [{ value: input, path: '', depth: 0 }];
  let values = 0;
  // Uses a list instead of recursion, because the depth is not yet known to be safe.
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, path, depth } = next;
    if (typeof value !== 'object' || value === null) continue;
    const count = Array.isArray(value) ? value.length : Object.keys(value).length;
    values += count;
    if (depth >= DEPTH_MAX) throw refusal(path, `at most ${DEPTH_MAX} levels of nesting`);
    if (count > ITEMS_MAX) throw refusal(path, `at most ${ITEMS_MAX} ${Array.isArray(value) ? 'items' : 'fields'}`);
    if (values > VALUES_MAX) throw refusal('', `at most ${VALUES_MAX} values in all`);
    for (const [name, item] of Object.entries(value)) {
      if (typeof item === 'object' && item !== null)
        pending.push({ value: item, path: path === '' ? name : `${path}.${name}`, depth: depth + 1 });
    }
  }
}

function refusal(path: string, expected: string): ServiceError {
  const shown = path.length > PATH_MAX ? `${path.slice(0, PATH_MAX)}…` : path;
  const message = `${shown === '' ? 'body' : shown}: expected ${expected}.`;
  return new ServiceError('invalid_request', message, { details: [{ path: shown, expected }] });
}

/** Most characters of a path that an error shows. */
const PATH_MAX = 200;

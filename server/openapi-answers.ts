/** Answers in the OpenAPI document: errors by status, and the headers that answers carry. Pure. */
import { type ErrorCode, ERRORS } from '../errors/codes.ts';

type Part = Record<string, unknown>;

/** Every answer to a counted request carries these; answers without a key do not. */
export const RATE_HEADERS: Readonly<Record<string, string>> = {
  'x-request-id': 'Id of the request; quote it when you report a problem.',
  'x-ratelimit-limit': 'Requests allowed in the window of one minute.',
  'x-ratelimit-remaining': 'Requests left after this one.',
  'x-ratelimit-reset': 'Unix seconds at which the window resets.',
};

/** Statuses whose answers may say when to try again. */
const WITH_RETRY_AFTER = [409, 422, 429, 503];

/**
 * One response per status, naming the codes that it can carry.
 *
 * @param headers names of those that the answers carry; a 401 has its own, since nothing is counted without a key
 */
export function errorResponses(codes: readonly ErrorCode[], headers: readonly string[]): Record<string, Part> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code].status))].toSorted((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const here = codes.filter((code) => ERRORS[code].status === status);
      const description = here.map((code) => `\`${code}\`: ${ERRORS[code].message}`).join('\n\n');
      const schema = { $ref: '#/components/schemas/Error' };
      const carried = status === 401 ? [WWW_AUTHENTICATE] : headers;
      const named = WITH_RETRY_AFTER.includes(status) ? [...carried, RETRY_AFTER] : carried;
      return [String(status), { description, ...withHeaders(named), content: { 'application/json': { schema } } }];
    }),
  );
}

export function errorSchema(): Part {
  const codes = Object.keys(ERRORS);
  return {
    type: 'object',
    description: 'What went wrong, and what to do about it.',
    properties: {
      error: { type: 'string', enum: codes, description: 'Code of the error.' },
      message: { type: 'string', description: 'What was wrong, with the value and the limit. Absent on a 429.' },
      hint: { type: 'string', description: 'What to do.' },
      docs: { type: 'string', format: 'uri', description: 'Where the code is explained.' },
      details: {
        type: 'array',
        description: 'Each field that failed validation.',
        items: {
          type: 'object',
          properties: { path: { type: 'string' }, expected: { type: 'string' }, received: { type: 'string' } },
          required: ['path', 'expected'],
        },
      },
      retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
      req_id: {
        type: 'string',
        format: 'uuid',
        description: 'The request id, on platform_rejected and on faults of ours.',
      },
    },
    required: ['error'],
  };
}

const RETRY_AFTER = 'retry-after';
const WWW_AUTHENTICATE = 'www-authenticate';
export const CONTENT_DISPOSITION = 'content-disposition';
/** Header that tells a stored answer from a new one. */
export const REPLAYED = 'idempotent-replayed';

/** Headers that are not numbers. */
const TEXT_HEADERS: Readonly<Record<string, Part>> = {
  'x-request-id': { type: 'string', format: 'uuid' },
  [REPLAYED]: { type: 'string', enum: ['true'] },
  [WWW_AUTHENTICATE]: { type: 'string' },
  [CONTENT_DISPOSITION]: { type: 'string' },
};

const OTHER_HEADERS: Readonly<Record<string, string>> = {
  [RETRY_AFTER]: 'Seconds after which the same request may succeed; absent when that is not known.',
  [REPLAYED]: 'Present when the answer is that of an earlier request with the same Idempotency-Key.',
  [WWW_AUTHENTICATE]: 'Where programs find out how to get access tokens (RFC 9728).',
  [CONTENT_DISPOSITION]: 'The name of the file.',
};

export function headerComponents(): Part {
  return Object.fromEntries(
    Object.entries({ ...RATE_HEADERS, ...OTHER_HEADERS }).map(([name, description]) => [
      name,
      { description, schema: TEXT_HEADERS[name] ?? { type: 'integer' } },
    ]),
  );
}

export function withHeaders(names: readonly string[]): Part {
  if (names.length === 0) return {};
  return { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}

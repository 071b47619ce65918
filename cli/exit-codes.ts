/** The exit codes of the command line, once. The man page and the guide print this table. */
import type { ErrorCode } from '../errors/codes.ts';

export const EXIT_CODES = {
  ok: { code: 0, text: 'Everything was done.' },
  failed: { code: 1, text: 'Another failure, such as a file that cannot be read.' },
  usage: { code: 2, text: 'The command, an operand or an option is wrong. Nothing was sent.' },
  refused: { code: 3, text: 'The server or a platform refused the input.' },
  notSignedIn: { code: 4, text: 'No key, or the key is unknown, revoked or not allowed to do this.' },
  notFound: { code: 5, text: 'The post, connection or other object does not exist.' },
  limit: { code: 6, text: 'A limit or quota is used up.' },
  unavailable: {
    code: 7,
    text: 'No answer, or the server or a platform is unavailable. If a post id was printed, use carillon retry; otherwise repeating the command may help.',
  },
  partial: {
    code: 8,
    text: 'Some connections of a post, rows of an import, or kinds or images of an export failed and others did not.',
  },
  unknown: { code: 9, text: 'It is not known whether a post went out. Look before you run the command again.' },
} as const satisfies Record<string, { code: number; text: string }>;

export type ExitKind = keyof typeof EXIT_CODES;

/** Codes whose HTTP status says less than their meaning. */
const KIND_OF_CODE: Partial<Record<ErrorCode, ExitKind>> = {
  spend_cap_reached: 'limit',
  connection_limit_exceeded: 'limit',
  fair_use_reached: 'limit',
  limit_exceeded: 'limit',
  queue_full: 'limit',
  storage_full: 'limit',
};

/** The kind of an error code of the service. @param status its HTTP status */
export function exitKindOf(code: string, status: number): ExitKind {
  const known = Object.hasOwn(KIND_OF_CODE, code) ? KIND_OF_CODE[code as ErrorCode] : undefined;
  if (known !== undefined) return known;
  if (status === 401 || status === 403) return 'notSignedIn';
  if (status === 404) return 'notFound';
  if (status === 429) return 'limit';
  if (status >= 500) return 'unavailable';
  return status >= 400 ? 'refused' : 'failed';
}

/** Errors of a server or platform that is unavailable which promise that nothing was done. */
export const NOTHING_DONE: readonly string[] = ['platform_unavailable', 'server_busy'];

/** The same for what sends a post. An error that promises nothing must not invite to repeat: that would be a second post. */
export function exitKindOfSend(code: string, status: number): ExitKind {
  const kind = exitKindOf(code, status);
  return kind === 'unavailable' && !NOTHING_DONE.includes(code) ? 'unknown' : kind;
}

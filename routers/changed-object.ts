/**
 * Derives from an operation's declaration whether it changes anything, and the ids that the audit records as the
 * subject.
 */
import type { AuditObject } from '../services/audit/store-entries.ts';
import { isUuid } from './schemas/common.ts';
import type { OperationMeta } from './meta.ts';

/** Whether the operation changes anything. A POST that needs only a read scope just validates. */
export function isChange({ openapi, scope, changes }: OperationMeta): boolean {
  return openapi.method !== 'GET' && changes !== 'nothing' && scope?.endsWith(':read') !== true;
}

/** The subject as far as it is known before the change: the last id in the path, or the account. */
export function namedObject(meta: OperationMeta, accountId: string, input: unknown): AuditObject | null {
  if (meta.changes === 'account') return { type: 'account', ids: [accountId] };
  if (meta.changes !== undefined) return null;
  const [, field = '', noun = ''] = /.*\{((\w+)Id)\}/.exec(meta.openapi.path) ?? [];
  const type = noun.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return objectOf(type, [fieldOf(input, field)]);
}

/** The subject that the answer names after the change, if it does. */
export function answeredObject({ changes }: OperationMeta, answer: unknown): AuditObject | null {
  if (typeof changes !== 'object' || !('answer' in changes)) return null;
  return objectOf(changes.type, valuesAt(answer, changes.answer.split('.')));
}

/** Drops invalid ids, because callers can send anything. */
export function objectOf(type: string, values: readonly unknown[]): AuditObject | null {
  const ids = values.flatMap((value) => {
    const id = idOf(value);
    return id === null ? [] : [id];
  });
  return ids.length === 0 ? null : { type, ids };
}

/** The id in its stored form; null for a value that is not an id. */
export function idOf(value: unknown): string | null {
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : null;
}

export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function valuesAt(value: unknown, [first, ...rest]: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, [first ?? '', ...rest]));
  const next = fieldOf(value, first ?? '');
  return rest.length === 0 ? [next] : valuesAt(next, rest);
}

/** What an operation changes, from what it declares: whether anything, and the ids of what, for the audit. */
import type { AuditObject } from '../services/audit/store-entries.ts';
import { isUuid } from './schemas/common.ts';
import type { OperationMeta } from './trpc.ts';

/** What a change is about. */
export type ChangedObject =
  /** The ids at this place of the answer; a list on the way is all of its items, e.g. `results.postId`. */
  | { readonly type: string; readonly answer: string }
  /** What the body names with `ctx.about`, where the answer does not. */
  | { readonly type: string; readonly told: true }
  /** The account itself. */
  | 'account';

/** Whether the operation changes anything. A POST that needs no more than reading only checks. */
export function isChange({ openapi, scope }: OperationMeta): boolean {
  return openapi.method !== 'GET' && scope?.endsWith(':read') !== true;
}

/** What a change is about, as far as it can be told before it: the last id in its path, or the account. */
export function namedObject(meta: OperationMeta, accountId: string, input: unknown): AuditObject | null {
  if (meta.changes === 'account') return { type: 'account', ids: [accountId] };
  if (meta.changes !== undefined) return null;
  const [, field = '', noun = ''] = /.*\{((\w+)Id)\}/.exec(meta.openapi.path) ?? [];
  const type = noun.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return objectOf(type, [fieldOf(input, field)]);
}

/** What a change turned out to be about, where its answer says it. */
export function answeredObject({ changes }: OperationMeta, answer: unknown): AuditObject | null {
  if (typeof changes !== 'object' || !('answer' in changes)) return null;
  return objectOf(changes.type, valuesAt(answer, changes.answer.split('.')));
}

/** Drops whatever is no id: what a caller sends may be anything. */
export function objectOf(type: string, values: readonly unknown[]): AuditObject | null {
  const ids = values.flatMap((value) => {
    const id = idOf(value);
    return id === null ? [] : [id];
  });
  return ids.length === 0 ? null : { type, ids };
}

/** The id as it is stored; null for what is none. */
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

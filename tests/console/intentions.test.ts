/** Idempotency keys of the console: a repeated press or a lost answer never posts twice. */
import { TRPCClientError } from '@trpc/client';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { asOneIntention } from '../../console/app/data/intentions.ts';

const stored = new Map<string, string>();

beforeEach(() => {
  stored.clear();
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  });
  return () => vi.unstubAllGlobals();
});

/** An answer of the service that refuses with a code; null when no answer arrives. */
function refusal(code: string | null): TRPCClientError<never> {
  const data = code === null ? undefined : { error: { error: code } };
  return new TRPCClientError('No.', { result: { error: { code: -32_600, message: 'No.', data } } } as never);
}

/** Sends that fail with the given errors, one after the other, and then succeed. */
function sends(...failures: unknown[]) {
  const keys: string[] = [];
  const send = async (key: string) => {
    keys.push(key);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return 'sent';
  };
  return { keys, send };
}

describe('the key of an intention', () => {
  it.each([
    ['a lost answer', null],
    ['a fault of the service', 'internal_server_error'],
    ['a storage that is full', 'storage_unavailable'],
    ['a first request that still runs', 'idempotency_key_conflict'],
    ['an error of a proxy in between', 'bad_gateway'],
  ])('is repeated after %s, and new once the service has answered', async (_case, code) => {
    const { keys, send } = sends(refusal(code));

    await expect(asOneIntention('draft', { text: 'Ding' }, send)).rejects.toThrow('No.');
    await asOneIntention('draft', { text: 'Ding' }, send);
    await asOneIntention('draft', { text: 'Ding' }, send);

    const [first, second, third] = keys;
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it.each(['invalid_request', 'storage_full', 'server_busy'])(
    'is new after %s, and for another content',
    async (code) => {
      const { keys, send } = sends(refusal(code), refusal(null));

      await expect(asOneIntention('draft', { text: 'Ding' }, send)).rejects.toThrow('No.');
      await expect(asOneIntention('draft', { text: 'Ding' }, send)).rejects.toThrow('No.');
      await asOneIntention('draft', { text: 'Dong' }, send);

      expect(new Set(keys).size).toBe(3);
    },
  );

  it('belongs to one intention and not to another with the same content', async () => {
    const { keys, send } = sends(refusal(null));

    await expect(asOneIntention('one', { text: 'Ding' }, send)).rejects.toThrow('No.');
    await asOneIntention('other', { text: 'Ding' }, send);

    expect(new Set(keys).size).toBe(2);
  });
});

describe('in a browser that stores nothing', () => {
  const refuseAll = () => {
    throw new DOMException('There is no room.', 'QuotaExceededError');
  };

  it.each([
    ['has no room', { getItem: () => null, setItem: refuseAll, removeItem: () => undefined }],
    ['refuses access', { getItem: refuseAll, setItem: refuseAll, removeItem: refuseAll }],
  ])('the change is made once although its storage %s', async (_case, storage) => {
    vi.stubGlobal('sessionStorage', storage);
    const { keys, send } = sends(refusal(null));

    await expect(asOneIntention('unstored', { text: 'Ding' }, send)).rejects.toThrow('No.');
    await asOneIntention('unstored', { text: 'Ding' }, send);
    await asOneIntention('unstored', { text: 'Ding' }, send);

    const [first, second, third] = keys;
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });
});

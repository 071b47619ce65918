/** Stored credentials can be decrypted only with the right key and in the right row. */
import { describe, expect, it } from 'vitest';
import { createVault } from '../../../services/credentials/vault.ts';

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const LOGIN = { identifier: 'alice', appPassword: 'pässwörd', nested: [1, null, true] };

let counter = 0;
/** Nonces that never repeat. */
function bytes(length: number): Buffer {
  counter += 1;
  return Buffer.alloc(length, counter);
}

/** An encrypted text with one of its parts changed. */
function withPart(sealed: string, index: number, change: (part: Buffer) => Buffer): string {
  const parts = sealed.split('.');
  parts[index] = change(Buffer.from(parts[index] ?? '', 'base64url')).toString('base64url');
  return parts.join('.');
}

function flipped(part: Buffer): Buffer {
  const copy = Buffer.from(part);
  copy[0] = (copy[0] ?? 0) ^ 1;
  return copy;
}

describe('encrypted credentials', () => {
  it('decrypt to the original in their own row', () => {
    const vault = createVault([NEW], bytes);

    expect(vault.open(vault.seal(LOGIN, 'row-1'), 'row-1')).toEqual(LOGIN);
  });

  it('reveal nothing of the credentials, and differ each time', () => {
    const vault = createVault([NEW], bytes);

    const [one, other] = [vault.seal(LOGIN, 'row-1'), vault.seal(LOGIN, 'row-1')];

    expect(one).toMatch(/^v1\.[\w-]{8}\.[\w-]{16}\.[\w-]{22}\.[\w-]+$/);
    expect(one).not.toBe(other);
    expect(Buffer.from(one.split('.')[4] ?? '', 'base64url').toString('latin1')).not.toContain('alice');
  });

  it('do not decrypt in another row', () => {
    const vault = createVault([NEW], bytes);
    const [one, other] = [vault.seal({ token: 'one' }, 'row-1'), vault.seal({ token: 'other' }, 'row-2')];

    expect(() => vault.open(one, 'row-2')).toThrow('unable to authenticate data');
    expect(() => vault.open(other, 'row-1')).toThrow('unable to authenticate data');
  });

  it.each([
    ['nonce', 2],
    ['tag', 3],
    ['text', 4],
  ])('do not decrypt when their %s was altered', (_part, index) => {
    const vault = createVault([NEW], bytes);

    const altered = withPart(vault.seal(LOGIN, 'row-1'), index, flipped);

    expect(() => vault.open(altered, 'row-1')).toThrow('unable to authenticate data');
  });

  it.each([4, 8, 12, 15])('do not decrypt with a tag cut to %i bytes', (length) => {
    const vault = createVault([NEW], bytes);

    const cut = withPart(vault.seal(LOGIN, 'row-1'), 3, (tag) => tag.subarray(0, length));

    expect(() => vault.open(cut, 'row-1')).toThrow('Invalid authentication tag length');
  });

  it.each(['', 'v1', 'plain text', '{"appPassword":"x"}'])('are not %j', (text) => {
    expect(() => createVault([NEW], bytes).open(text, 'row-1')).toThrow('is in ENCRYPTION_KEYS');
  });

  it('do not decrypt when they are truncated', () => {
    const vault = createVault([NEW], bytes);
    const early = vault.seal(LOGIN, 'row-1').split('.').slice(0, 4).join('.');

    expect(() => vault.open(early, 'row-1')).toThrow('the sealed text is cut short');
  });
});

describe('keys', () => {
  it('rotate: the first encrypts, all decrypt', () => {
    const sealedBefore = createVault([OLD], bytes).seal(LOGIN, 'row-1');
    const vault = createVault([NEW, OLD], bytes);

    const sealedAfter = vault.seal(LOGIN, 'row-1');

    expect(vault.open(sealedBefore, 'row-1')).toEqual(LOGIN);
    expect(createVault([NEW], bytes).open(sealedAfter, 'row-1')).toEqual(LOGIN);
    expect(() => createVault([OLD], bytes).open(sealedAfter, 'row-1')).toThrow('is in ENCRYPTION_KEYS');
  });

  it('that were removed are named by their key mark, never by their value', () => {
    const sealed = createVault([OLD], bytes).seal(LOGIN, 'row-1');
    const [mark] = createVault([OLD], bytes).keyMarks;

    expect(() => createVault([NEW], bytes).open(sealed, 'row-1')).toThrow(
      `no key with mark ${mark} is in ENCRYPTION_KEYS`,
    );
    expect(OLD.toString('base64url')).not.toContain(mark);
  });

  it('have key marks in their configured order', () => {
    const [oldMark] = createVault([OLD], bytes).keyMarks;
    const [newMark] = createVault([NEW], bytes).keyMarks;

    expect(createVault([NEW, OLD], bytes).keyMarks).toEqual([newMark, oldMark]);
  });

  it('must be at least one', () => {
    expect(() => createVault([], bytes)).toThrow('a vault needs at least one key');
  });
});

/**
 * Every column with encrypted values is known to the rotation of the encryption keys. A value in a column that it does
 * not know is lost once the older key is removed (docs/operations.md#rotating-the-encryption-keys).
 */
import { expect, it } from 'vitest';
import { SEALED } from '../../../services/credentials/re-encrypt-credentials.ts';
import { sourceFiles } from '../../harness/sources.ts';

const files = sourceFiles();

/** Columns that need no re-encryption, with the reason. */
const SHORT_LIVED: Readonly<Record<string, string>> = {
  'connect_sessions.flow':
    'A connect session ends after fifteen minutes; a customer whose flow is unreadable starts again.',
};

/** The columns into which each file stores what it encrypts. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  'services/connect/flow.ts': ['connect_sessions.flow'],
  'services/connect/oauth-io.ts': ['platform_apps.app'],
  'services/connections/credential-columns.ts': ['connections.credentials'],
  'services/connections/renew-credential.ts': ['connections.credentials'],
  // Encrypts each of SEALED again.
  'services/credentials/re-encrypt-credentials.ts': [],
  'services/oauth/signing-keys.ts': ['oauth_keys.jwk'],
  'services/webhooks/create-webhook.ts': ['webhooks.secret'],
  'services/webhooks/rotate-secret.ts': ['webhooks.secret', 'webhooks.previous_secret'],
};

/** A property of an entity after a comment that calls it encrypted. */
const ENCRYPTED_PROPERTY = /\/\*\*(?:(?!\*\/)[^])*\bencrypted\b(?:(?!\*\/)[^])*\*\/\s+(\w+): p\./gi;

function encryptedColumns(text: string): string[] {
  const table = /tableName: '(\w+)'/.exec(text)?.[1];
  return [...text.matchAll(ENCRYPTED_PROPERTY)].map(
    ([, property = '']) => `${table}.${property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
  );
}

const known = [...SEALED.map(({ table, column }) => `${table}.${column}`), ...Object.keys(SHORT_LIVED)].toSorted();

it('the columns that entities call encrypted are re-encrypted, or do not live that long', () => {
  const declared = files.filter(({ layer }) => layer === 'entities').flatMap(({ text }) => encryptedColumns(text));

  expect(declared.toSorted()).toEqual(known);
});

it('the files that encrypt a value store it in such a column', () => {
  const encrypting = files.filter(
    ({ path, text }) => path !== 'services/credentials/vault.ts' && /\bseal\(/.test(text),
  );

  expect(encrypting.map(({ path }) => path)).toEqual(['services/ports/vault.ts', ...Object.keys(WRITERS)].toSorted());
  expect([...new Set(Object.values(WRITERS).flat())].toSorted()).toEqual(known);
});

it.each([
  [
    '/** The token, encrypted; null once it ended. */\n    accessToken: p.text().strictNullable(),',
    ['feeds.access_token'],
  ],
  ['/** Encrypted. */\n    key: p.text(),', ['feeds.key']],
  [
    '/** Its name. */\n    name: p.text(),\n    /**\n     * Encrypted\n     * too.\n     */\n    key: p.string(),',
    ['feeds.key'],
  ],
  ['/** Its name. */\n    name: p.text(),', []],
])('an encrypted column is found in %j', (properties, columns) => {
  expect(encryptedColumns(`tableName: 'feeds',\n  properties: {\n    ${properties}`)).toEqual(columns);
});

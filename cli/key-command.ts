/** `key create`, `key list` and `key revoke`: the keys that reach a whole account (docs/contract/profiles-and-keys.md#account-keys). */
import type { KeyView } from '../services/keys/key-view.ts';
import { onlyAccount } from './account-command.ts';
import { type Environment, type OperatorClient, operatorClient, type Request, UsageError } from './operator-client.ts';
import { parseOptions } from './parse-options.ts';

const OPTIONS = {
  url: { type: 'string' },
  account: { type: 'string' },
  live: { type: 'boolean' },
  test: { type: 'boolean' },
  name: { type: 'string' },
  'with-minted': { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>['values'];

/** @returns what to print */
export async function keyCommand(request: Request, args: string[], env: Environment): Promise<string> {
  const { values, positionals } = parseOptions(args, OPTIONS);
  const [verb, keyId] = positionals;
  const wanted = verb === 'create' ? newKey(values) : null;
  const isComplete = verb === 'revoke' ? positionals.length === 2 : positionals.length === 1;
  if (!['create', 'list', 'revoke'].includes(verb ?? '') || !isComplete) throw new UsageError('');
  const client = await operatorClient(request, values, env);
  const path = `/accounts/${encodeURIComponent(values.account ?? (await onlyAccount(client)))}/keys`;
  if (wanted !== null) return create(client, path, wanted);
  if (verb === 'list') return list(client, path);
  const withMinted = values['with-minted'] === true;
  await client.call('DELETE', `${path}/${encodeURIComponent(keyId ?? '')}${withMinted ? '?includeMinted=true' : ''}`);
  return `The key ${keyId} is revoked${withMinted ? ', with every key that it minted' : ''}.\n`;
}

function newKey({ live, test, name }: Values): { type: 'live' | 'test'; name: string } {
  if (live === test) throw new UsageError('Choose the kind of key: --live or --test.');
  const type = live === true ? 'live' : 'test';
  return { type, name: name ?? `Account key (${type})` };
}

async function create(client: OperatorClient, path: string, wanted: object): Promise<string> {
  const { key, secret } = (await client.call('POST', path, wanted)) as { key: KeyView; secret: string };
  return `${secret}\nSave it now: it is shown only once. Its id is ${key.id}, for revoking it.\n`;
}

async function list(client: OperatorClient, path: string): Promise<string> {
  const { keys } = (await client.call('GET', path)) as { keys: KeyView[] };
  return keys.length === 0 ? 'There are no keys. Create one: key create --live\n' : keys.map(describe).join('');
}

function describe({ id, name, type, prefix, createdAt, lastUsedAt }: KeyView): string {
  const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`;
  return `${id}  ${type}  ${prefix}…  since ${createdAt}, ${used}  ${name}\n`;
}

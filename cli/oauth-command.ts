/**
 * `oauth client add` and `oauth rotate-keys`: clients that cannot register themselves, and the key that signs access
 * tokens.
 */
import { type Environment, operatorClient, type Request, UsageError } from './operator-client.ts';
import { parseOptions } from './parse-options.ts';

const OPTIONS = { url: { type: 'string' } } as const;

/** @returns what to print */
export async function oauthCommand(request: Request, args: string[], env: Environment): Promise<string> {
  const { values, positionals } = parseOptions(args, OPTIONS);
  const [noun, verb, clientId, ...redirectUris] = positionals;
  if (noun === 'rotate-keys' && positionals.length === 1) {
    const { kid } = (await (await operatorClient(request, values, env)).call('POST', '/oauth/signing-keys')) as Key;
    return `New access tokens are signed with the key ${kid}. Existing ones stay valid.\n`;
  }
  if (noun !== 'client' || verb !== 'add' || clientId === undefined) throw new UsageError('');
  if (redirectUris.length === 0) throw new UsageError('Name at least one address that answers may go to.');
  const client = await operatorClient(request, values, env);
  await client.call('POST', '/oauth/clients', { clientId, redirectUris });
  return `client ${clientId}\n${redirectUris.map((uri) => `  ${uri}`).join('\n')}\nIt has no secret: it proves itself with PKCE.\n`;
}

interface Key {
  readonly kid: string;
}

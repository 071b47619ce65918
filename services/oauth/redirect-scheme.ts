/**
 * Decides by scheme which redirect URIs a client may use: https, http on this computer, and custom schemes of an app.
 * Any other scheme opens a handler of the operating system or the browser, which a redirect must not do (RFC 8252
 * section 7.1, docs/decisions/0063-limit-unknown-clients-at-the-authorization-server.md).
 */

/** Schemes of editors and agents that do not use reversed domain names. */
const KNOWN_APPS: ReadonlySet<string> = new Set([
  'antigravity',
  'boltai',
  'cherrystudio',
  'chatgpt',
  'chatwise',
  'claude',
  'code-oss',
  'codex',
  'cursor',
  'goose',
  'insomnia',
  'jetbrains',
  'kiro',
  'librechat',
  'lmstudio',
  'msty',
  'opencode',
  'postman',
  'raycast',
  'trae',
  'vscode',
  'vscode-insiders',
  'vscodium',
  'warp',
  'windsurf',
  'windsurf-next',
  'zed',
]);

/** A reversed domain name such as `com.example.app`, under a country domain or a common one. */
const REVERSED_DOMAIN =
  /^(?:[a-z]{2}|com|org|net|edu|gov|int|app|dev|info|cloud|tools|studio|software|systems|tech|chat|design|xyz)(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** The allowed schemes, for the error message about a refused address. */
export const REDIRECT_SCHEMES =
  'https, http on localhost, a reversed domain name such as com.example.app:, or the scheme of a known editor or agent such as cursor: or vscode:';

/** Whether the scheme of a redirect URI is allowed; hosts are checked elsewhere. */
export function hasAllowedScheme(redirectUri: string): boolean {
  const { protocol } = URL.parse(redirectUri) ?? {};
  if (protocol === undefined) return false;
  const scheme = protocol.slice(0, -1);
  return scheme === 'https' || scheme === 'http' || KNOWN_APPS.has(scheme) || REVERSED_DOMAIN.test(scheme);
}

/**
 * Where answers to a client may go by their scheme: https, http on this computer, and schemes that a program registers for
 * itself. Everything else is a handler of the operating system or of the browser, which an answer must not open
 * (RFC 8252 section 7.1, decision 0069).
 */

/** Schemes of editors and agents that predate, or do not follow, the rule of reversed domain names. */
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

/** A domain name the other way round, such as `com.example.app`, under a country's domain or a common one. */
const REVERSED_DOMAIN =
  /^(?:[a-z]{2}|com|org|net|edu|gov|int|app|dev|info|cloud|tools|studio|software|systems|tech|chat|design|xyz)(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** What to say of an address whose scheme is refused. */
export const REDIRECT_SCHEMES =
  'https, http on localhost, a reversed domain name such as com.example.app:, or the scheme of a known editor or agent such as cursor: or vscode:';

/** Whether answers may go there, as far as the scheme tells; hosts are judged elsewhere. */
export function hasAllowedScheme(redirectUri: string): boolean {
  const { protocol } = URL.parse(redirectUri) ?? {};
  if (protocol === undefined) return false;
  const scheme = protocol.slice(0, -1);
  return scheme === 'https' || scheme === 'http' || KNOWN_APPS.has(scheme) || REVERSED_DOMAIN.test(scheme);
}

/** The error responses of each platform: its response format with any message. */
import type { ScriptedAnswer } from '../harness/scripted-network.ts';

const graph = (words: string) => ({ status: 400, json: { error: { message: words, code: 100 } } });

/** Email and the sandbox do not use HTTP. */
export const REFUSALS: Readonly<Record<string, (words: string) => ScriptedAnswer>> = {
  bluesky: (words) => ({ status: 400, json: { error: 'InvalidRequest', message: words } }),
  mastodon: (words) => ({ status: 422, json: { error: words } }),
  linkedin: (words) => ({ status: 422, json: { message: words, status: 422 } }),
  facebook: graph,
  instagram: graph,
  threads: graph,
  x: (words) => ({ status: 403, json: { title: 'Forbidden', detail: words, status: 403 } }),
  reddit: (words) => ({ status: 400, json: { message: 'Bad Request', explanation: words } }),
  telegram: (words) => ({ status: 400, json: { ok: false, error_code: 400, description: words } }),
  discord: (words) => ({ status: 400, json: { code: 50_035, message: words } }),
  nostr: (words) => ({ status: 400, text: `blocked: ${words}` }),
  slack: (words) => ({ status: 200, json: { ok: false, error: words } }),
  sms: (words) => ({ status: 400, json: { code: 21_211, message: words, status: 400 } }),
};

/** How proxies and load balancers answer in place of a platform whose API answers in JSON. */
import type { ScriptedAnswer } from '../harness/scripted-network.ts';

const html = (status: number) => ({ status, text: '<!doctype html><title>Maintenance</title>' });

export const PROXY_ERRORS: readonly ScriptedAnswer[] = [
  html(404),
  // Envoy and Caddy answer without a body.
  { status: 404, text: '' },
  { status: 400, text: 'Bad Request' },
  { status: 401, text: 'Unauthorized' },
  { status: 403, text: 'Forbidden' },
  { status: 404, text: '404 page not found\n' },
  { status: 410, text: 'Gone' },
];

export const PROXY_ANSWERS: readonly ScriptedAnswer[] = [html(200), { status: 200, text: 'OK' }, ...PROXY_ERRORS];

export function shownAnswer({ status, text }: ScriptedAnswer): string {
  return `${status} with ${JSON.stringify(text)}`;
}

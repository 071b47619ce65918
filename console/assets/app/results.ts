/** Shows the outcome of a post on each connection, with its links. */
import type { PostResult } from './api.ts';
import { byId, el, outsideLink } from './dom.ts';
import { announce, problem } from './messages.ts';
import { timeElement } from './times.ts';

/** Shows the results below the form and announces a summary. */
export function showResults(results: readonly PostResult[]): void {
  const place = byId('results', HTMLElement);
  place.replaceChildren(el('h3', {}, 'What became of it'), el('ul', { class: 'rows' }, ...results.map(resultRow)));
  place.hidden = false;
  const failed = results.filter(({ status }) => status === 'failed').length;
  const well = results.length - failed;
  const done = results.some(({ status }) => status === 'scheduled') ? 'scheduled' : 'sent';
  announce(`${well} of ${results.length} ${done}${failed === 0 ? '.' : `, ${failed} failed.`}`);
}

function resultRow(result: PostResult): HTMLElement {
  const { connectionSlug, status, url, scheduledFor, error } = result;
  return el(
    'li',
    {},
    el(
      'p',
      {},
      el('b', {}, connectionSlug),
      ' ',
      statusBadge(status),
      ' ',
      url === null ? null : outsideLink(url, 'See the post'),
    ),
    scheduledFor === null ? null : el('p', {}, 'Goes out ', timeElement(scheduledFor)),
    error === null ? null : problem(error.code, error.message),
  );
}

/** The state of a post as a badge. */
export function statusBadge(status: string): HTMLElement {
  return el('span', { class: `badge ${status}` }, status);
}

/** The requests of README.md, made one after another as a newcomer makes them, get the answers that it shows. */
import { expect, it } from 'vitest';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { askAs, blocksOf, shownAnswers } from './code-blocks.ts';

/** An id of the page, whole or cut off. */
const PAGE_ID = /[0-9a-f]{8}-[0-9a-f]{4}-(?:…|[0-9a-f-]{22})/g;

/** The answer as the page shows it: each id is any id, and `…` is any text. */
function patternOf(answer: string): RegExp {
  const parts = answer.replaceAll(PAGE_ID, '<id>').split(/(…|<id>)/);
  const patterns = parts.map((part) => {
    if (part === '…') return '.*';
    return part === '<id>' ? '[0-9a-f-]{36}' : part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  return new RegExp(`^${patterns.join('')}$`);
}

const world = await startWorld();
const steps = shownAnswers(blocksOf('README.md'));

it('shows an answer for a first post, a schedule, a cancellation, a tool call and a failure', () => {
  expect(steps).toHaveLength(5);
});

it('shows the answers that its requests get, in order', async () => {
  let latestId = '';
  for (const { place, command, answer } of steps) {
    const filled = command.replaceAll(/crl_live_\w+…|\$CARILLON_KEY/g, world.liveKey).replaceAll(PAGE_ID, latestId);
    const response = await askAs(filled, PUBLIC_URL, world.url);
    const text = await response.text();
    const pattern = patternOf(/^\s/m.test(answer) ? JSON.stringify(JSON.parse(answer)) : answer);
    expect({ place, text }).toEqual({ place, text: expect.stringMatching(pattern) });
    latestId = /"postId":"([^"]+)"/.exec(text)?.[1] ?? latestId;
  }
});

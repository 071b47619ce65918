/** The requests of README.md, made one after another as a newcomer makes them, get the answers that it shows. */
import { expect, it } from 'vitest';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { type Block, blocksOf, commandsOf, curlRequest } from './code-blocks.ts';

/** A request, and the answer that the page shows for it. */
interface Step {
  readonly place: string;
  readonly command: string;
  readonly answer: string;
}

/** A command up to its last line. */
const CURL = /^ *curl (?:.*\\\n)*.*$/m;

/** A comment that begins with JSON, and the lines that continue it. */
const SHOWN = /^# [{[].*(?:\n#   .*)*/m;

/** An id of the page, whole or cut off. */
const PAGE_ID = /[0-9a-f]{8}-[0-9a-f]{4}-(?:…|[0-9a-f-]{22})/g;

function stepsOf(blocks: readonly Block[]): Step[] {
  return blocks.flatMap(({ place, code }, index) => {
    const [command] = CURL.exec(code) ?? [];
    if (command === undefined) return [];
    const next = blocks[index + 1];
    const answer = SHOWN.exec(code)?.[0].replaceAll(/\n?^# */gm, '');
    if (answer !== undefined) return [{ place, command, answer }];
    return next?.language === 'json' && code.includes('Publish a first post')
      ? [{ place, command, answer: JSON.stringify(JSON.parse(next.code)) }]
      : [];
  });
}

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
const steps = stepsOf(blocksOf('README.md'));

it('shows an answer for a first post, a schedule, a cancellation, a tool call and a failure', () => {
  expect(steps).toHaveLength(5);
});

it('shows the answers that its requests get, in order', async () => {
  let latestId = '';
  for (const { place, command, answer } of steps) {
    const filled = command.replaceAll(/crl_live_\w+…|\$CARILLON_KEY/g, world.liveKey).replaceAll(PAGE_ID, latestId);
    const [words = []] = commandsOf(filled);
    const request = curlRequest(words);
    if (request === null) throw new Error(`${place} has no request`);
    const { method, headers, body = null } = request;
    const response = await fetch(request.url.replace(PUBLIC_URL, world.url), { method, headers, body });
    const text = await response.text();
    expect({ place, text }).toEqual({ place, text: expect.stringMatching(patternOf(answer)) });
    latestId = /"postId":"([^"]+)"/.exec(text)?.[1] ?? latestId;
  }
});

/** HTTP 408 says that a server, or a proxy before it, gave up waiting. The call may have been processed. */
import { expect, it } from 'vitest';
import { failure as bluesky } from '../../platforms/bluesky/api.ts';
import { failure as discord } from '../../platforms/discord/api.ts';
import { failure as linkedin } from '../../platforms/linkedin/api.ts';
import { failure as mastodon } from '../../platforms/mastodon/api.ts';
import { graphFailures } from '../../platforms/meta/graph.ts';
import { failureOf as reddit } from '../../platforms/reddit/api.ts';
import { failure as slack } from '../../platforms/slack/api.ts';
import { failure as sms } from '../../platforms/sms/api.ts';
import { failure as telegram } from '../../platforms/telegram/api.ts';
import { standardFailure } from '../../platforms/token-endpoint.ts';
import { failure as x } from '../../platforms/x/api.ts';

const answer = {
  status: 408,
  headers: new Headers({ 'retry-after': '30' }),
  receivedAt: new Date(0),
  body: { error: 'timed_out', message: 'Request Timeout' },
};
const graphError = { code: 100, message: 'Request Timeout' };

it.each([
  ['Bluesky', bluesky(answer)],
  ['Discord', discord(answer)],
  ['LinkedIn', linkedin(answer)],
  ['Mastodon', mastodon(answer)],
  ['Facebook', graphFailures({ name: 'Facebook' }).failure({ ...answer, error: graphError })],
  ['Reddit', reddit(answer)],
  ['Slack', slack({ ...answer, isOk: false, error: 'timed_out' })],
  ['Twilio', sms(answer)],
  [
    'Telegram',
    telegram({ ...answer, result: undefined, movedTo: null, refusal: { ok: false, description: 'Request Timeout' } }),
  ],
  ['X', x(answer)],
])('HTTP 408 of %s leaves the outcome of a send unknown', (_name, failure) => {
  expect(failure).toMatchObject({ kind: 'unknown', retryAfterMs: 30_000 });
});

it('HTTP 408 of a token endpoint does not end a credential', () => {
  expect(standardFailure('X', answer)).toMatchObject({ kind: 'unavailable' });
});

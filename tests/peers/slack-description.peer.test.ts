/**
 * The Slack adapter's arguments, and the fake's answers, against Slack's own description of its methods. It dates from
 * 2021 and knows forms only, so the test compares names and skips later methods.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FetchInit, PlatformIo } from '../../platforms/contract.ts';
import { slack } from '../../platforms/slack/index.ts';
import { BOT_SCOPES, type FakeSlack, startFakeSlack } from '../platforms/fakes/fake-slack.ts';
import { headPart, sessionOf, testIo } from '../platforms/harness.ts';
import { peerScript } from './ensure-peers.ts';

/** The part of the description that the test reads. */
interface Method {
  readonly parameters: readonly { readonly name: string; readonly required?: boolean; readonly in: string }[];
  readonly responses: { readonly '200': { readonly schema: { readonly required: readonly string[] } } };
}
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Method>>>>;
}

const file = peerScript('descriptions/slack.json');
const now = () => new Date(Date.UTC(2026, 10, 21, 9));
const LOGIN = { botToken: 'xoxb-bells', channelId: 'C0BELLS' };

describe.skipIf(file === undefined)('requests to Slack', () => {
  let fake: FakeSlack;
  const sent: { method: string; names: string[]; answer: object }[] = [];

  beforeAll(async () => {
    fake = await startFakeSlack({ now });
    fake.addChannel('C0BELLS', 'bells');
    fake.addBot('xoxb-bells', BOT_SCOPES);
    const account = await slack.connectAccount(LOGIN, io());
    await slack.publish(sessionOf(account), headPart('Ding & dong', 'token', now()), io());
    const request = { redirectUri: 'https://bells.example/connect/callback/slack', state: 's', verifier: 'v' };
    const app = { clientId: 'our-app', clientSecret: 'secret' };
    const withApp = { ...io(), apps: { ...io().apps, slack: app } };
    const oauthIo = { ...withApp, keptApp: async () => app, forgetApp: async () => undefined };
    fake.consent.apps.set('our-app', { ...app, redirectUri: request.redirectUri, scope: BOT_SCOPES.join(',') });
    fake.consent.signedIn = 'alice';
    const page = await slack.hosted?.oauth?.begin({}, request, oauthIo);
    const back = (await fetch(page?.url ?? '', { redirect: 'manual' })).headers.get('location') ?? '';
    await slack.hosted?.oauth?.finish(new URL(back).searchParams, request, {}, oauthIo);
  });
  afterAll(() => fake?.close());

  /** Records every call and its answer. */
  function io(): PlatformIo {
    const passing = testIo(now, { SLACK_API_URL: fake.url });
    return {
      ...passing,
      fetch: async (url: string | URL, init: FetchInit = {}) => {
        const response = await passing.fetch(url, init);
        const { body } = init;
        const names = body instanceof URLSearchParams ? [...body.keys()] : Object.keys(JSON.parse(String(body)));
        sent.push({
          method: new URL(url).pathname.replace('/api', ''),
          names,
          answer: (await response.clone().json()) as object,
        });
        return response;
      },
    };
  }

  function described(name: string): Method {
    const description = JSON.parse(readFileSync(file ?? '', 'utf8')) as Description;
    const [method] = Object.values(description.paths[name] ?? {});
    if (method === undefined) throw new Error(`the description has no ${name}`);
    return method;
  }

  it.each(['/auth.test', '/chat.postMessage', '/oauth.v2.access'])(
    'match its description, as do the answers of the fake: %s',
    (name) => {
      const { parameters, responses } = described(name);
      const call = sent.find(({ method }) => method === name);
      const known = parameters.map((parameter) => parameter.name);
      // The token is in a header, which Slack prefers.
      const required = parameters.filter((parameter) => parameter.required === true && parameter.name !== 'token');

      expect(call?.names.filter((one) => !known.includes(one))).toEqual([]);
      expect(required.filter((parameter) => !call?.names.includes(parameter.name))).toEqual([]);
      expect(responses['200'].schema.required.filter((one) => !(one in (call?.answer ?? {})))).toEqual([]);
    },
  );
});

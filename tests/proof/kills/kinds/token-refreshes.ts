/**
 * Refreshes of access tokens: X, whose refresh tokens work once; Reddit, whose refresh token stays; and Bluesky with an app
 * password, whose refresh tokens work once and which can sign in again.
 */
import type { ServerProcess } from '../../../crash/install.ts';
import { waitUntil } from '../../../crash/wait-until.ts';
import { startFakeBluesky } from '../../../platforms/fakes/fake-bluesky.ts';
import { startFakeReddit } from '../../../platforms/fakes/fake-reddit.ts';
import { type FakeX, startFakeX } from '../../../platforms/fakes/fake-x.ts';
import { bearer, type WireCall, type WireTap } from '../../../platforms/fakes/wire.ts';
import { APP } from '../../../platforms/servers/platform-server.ts';
import { brokenRules, type Kind } from '../kill-case.ts';
import { createKillSwitch } from '../kill-switch.ts';

const REFRESH = /oauth2\/token|access_token|refreshSession/;

/** Longer than any of the tokens is valid. */
const PASSED_MINUTES = 25 * 60;

/**
 * For how long before a kill X may have replaced the refresh token without the new one being stored here; generous, because
 * machines may be busy. It may also replace it after the kill: the call was on its way. A post that X accepts with the new access
 * token proves that it was stored.
 */
const STORING_MS = 10_000;

/** The last refresh token that X replaced and whose new access token was not used yet: for which process, and when. */
interface Replaced {
  readonly by: number;
  readonly at: number;
}

interface Killed {
  readonly lifetime: number;
  readonly at: number;
}

const PASSWORD = 'abcd-efgh-ijkl-mnop';

export const tokenRefreshes: Kind = {
  name: 'token refreshes',
  run: async (kills, tools) => {
    const { sampler } = tools;
    const switched = createKillSwitch({ nameOf: nameOfCall, slowestMs: 30, sampler: tools.noise });
    let lifetime = 0;
    // A call that has arrived is decided although the process that made it was killed meanwhile.
    const madeIn = new WeakMap<WireCall, number>();
    const accepted = new Map<string, number>();
    const usedAccess = new Set<string>();
    let xReplaced: Replaced | undefined;
    const tap: WireTap = (moment, call, status) => {
      if (moment === 'arrived') madeIn.set(call, lifetime);
      const by = madeIn.get(call) ?? lifetime;
      const token = refreshTokenOf(call);
      if (token !== undefined && moment === 'arrived' && accepted.get(token) === lifetime)
        tools.violation(`one process used the refresh token ${token} again after it was accepted`);
      // X also gets posts with the old token, after it refused to replace it.
      if (call.path === '/2/tweets' && moment === 'decided' && status === 201) {
        const access = bearer(call) ?? '';
        if (!usedAccess.has(access)) xReplaced = undefined;
        usedAccess.add(access);
      }
      if (token !== undefined && moment === 'decided' && status === 200) {
        accepted.set(token, by);
        if (nameOfCall(call) === 'refresh of X') xReplaced = { by, at: performance.now() };
      }
      return switched.tap(moment, call);
    };
    const now = () => new Date();
    const bluesky = await startFakeBluesky({ now, tap });
    const reddit = await startFakeReddit({ now, tap, app: APP });
    const x = await startFakeX({ now, tap, app: APP });
    for (const fake of [bluesky, reddit, x]) tools.defer(() => fake.close());
    bluesky.addAccount('alice.test', PASSWORD);
    reddit.addAccount('alice', 'token-of-alice', 'refresh-of-reddit');
    const install = await tools.createInstall({
      template: tools.migrated,
      settings: {
        BLUESKY_SERVICE_URL: bluesky.url,
        BLUESKY_PLC_URL: bluesky.url,
        BLUESKY_APPVIEW_URL: bluesky.url,
        REDDIT_API_URL: reddit.url,
        REDDIT_AUTH_URL: reddit.url,
        X_API_URL: x.url,
        X_AUTH_URL: x.url,
        ...Object.fromEntries(
          ['X', 'REDDIT'].flatMap((name) => [
            [`${name}_CLIENT_ID`, APP.clientId],
            [`${name}_CLIENT_SECRET`, APP.clientSecret],
          ]),
        ),
      },
    });
    let server = await install.start();
    await connect(server, 'bluesky', { identifier: 'alice.test', appPassword: PASSWORD }, 'bluesky');
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const tokens = { accessToken: 'token-of-alice', refreshToken: 'refresh-of-reddit', expiresAt };
    await connect(server, 'reddit', tokens, 'reddit');
    let xSlug = await connectX(server, x, 0);
    for (let kill = 0; kill < kills; kill += 1) {
      await server.kill9();
      lifetime += 1;
      await install.passMinutes(PASSED_MINUTES);
      bluesky.expireAccessTokens();
      const moment = sampler.weighted({ arrived: 28, decided: 28, answered: 34, time: 10 });
      const plan = { moment, nth: sampler.int(1, 3), delayMs: sampler.int(0, moment === 'time' ? 800 : 15) };
      const launched = await install.launchAgain();
      const killed = switched.kill(launched.server, plan, launched.ready);
      // A post to each account needs the fresh tokens at the same time as the renewals.
      const posts = launched.ready
        .then(() =>
          Promise.all(['bluesky', 'reddit', xSlug].map((slug) => post(launched.server, slug, `${slug} ${kill}`))),
        )
        .catch(() => undefined);
      const step = await killed;
      const died = { lifetime, at: performance.now() };
      await posts;
      tools.killedAt(step);
      lifetime += 1;
      server = await install.startAgain();
      if (await works(server, xSlug, `after ${kill}`)) continue;
      if (!wasLostIn(died, xReplaced))
        tools.violation(`the connection to X does not work after a kill at: ${step}; ${lastOf(died, xReplaced)}`);
      if (!(await needsReconnect(server, xSlug))) tools.violation(`${xSlug} does not work and does not say so`);
      tools.count('connections to X that must be reconnected: its new refresh token was lost in the kill');
      xSlug = await connectX(server, x, kill + 1);
    }
    for (const slug of ['bluesky', 'reddit', xSlug]) {
      if (!(await works(server, slug, 'at the end')))
        tools.violation(`the connection ${slug} does not work at the end`);
    }
    await server.stop();
    for (const { rule, subject } of await brokenRules(install)) tools.violation(`${rule}: ${subject}`);
  },
};

/** Whether the killed process may have died before it stored the token that X gave it. */
function wasLostIn({ lifetime, at }: Killed, replaced: Replaced | undefined): boolean {
  return replaced?.by === lifetime && at - replaced.at < STORING_MS;
}

function lastOf({ lifetime, at }: Killed, replaced: Replaced | undefined): string {
  if (replaced === undefined) return 'each new token that X gave was used after it';
  const seconds = Math.round((at - replaced.at) / 1000);
  const whose = replaced.by === lifetime ? 'the killed process' : 'another process';
  return `X had replaced the refresh token of ${whose} ${seconds} s before, and the new access token was not used since`;
}

function nameOfCall(call: WireCall): string | null {
  if (!REFRESH.test(call.path)) return null;
  if (call.path.includes('refreshSession')) return 'refresh of Bluesky';
  return call.path.startsWith('/2/') ? 'refresh of X' : 'refresh of Reddit';
}

/** Only those that work once are counted. */
function refreshTokenOf(call: WireCall): string | undefined {
  if (call.path.includes('refreshSession')) return bearer(call);
  if (call.path !== '/2/oauth2/token') return undefined;
  return new URLSearchParams(call.bytes.toString()).get('refresh_token') ?? undefined;
}

async function connect(server: ServerProcess, platformId: string, credentials: object, slug: string): Promise<void> {
  const { status, body } = await server.rest('POST /connections', { body: { platformId, credentials, slug } });
  if (status !== 200) throw new Error(`${platformId} was not connected: ${JSON.stringify(body)}`);
}

async function connectX(server: ServerProcess, x: FakeX, number: number): Promise<string> {
  const [accessToken, refreshToken] = [`access-of-x${number}`, `refresh-of-x${number}`];
  x.addAccount(`alice${number}`, accessToken, refreshToken);
  const expiresAt = new Date(Date.now() + 3_600_000 + number * PASSED_MINUTES * 60_000).toISOString();
  await connect(server, 'x', { accessToken, refreshToken, expiresAt }, `x${number}`);
  return `x${number}`;
}

async function post(server: ServerProcess, slug: string, text: string) {
  const { body } = await server.rest('POST /posts', { body: { text, connectionSlugs: [slug] } });
  return body.results?.[0];
}

/** Whether a post goes out; a refresh that is still in progress is waited for. */
async function works(server: ServerProcess, slug: string, text: string): Promise<boolean> {
  let tries = 0;
  return waitUntil(`a post to ${slug} is answered`, async () => {
    tries += 1;
    const result = await post(server, slug, `${slug} ${text} ${tries}`);
    if (result?.status === 'sent') return 'yes';
    return result?.error?.code === 'platform_unavailable' && tries < 20 ? null : 'no';
  }).then((said) => said === 'yes');
}

async function needsReconnect(server: ServerProcess, slug: string): Promise<boolean> {
  const { body } = await server.rest('GET /connections');
  const found = body.connections.find((connection: { slug: string }) => connection.slug === slug);
  return found?.reconnectRequired != null;
}

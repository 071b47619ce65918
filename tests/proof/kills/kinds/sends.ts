/** Sends to imitated platforms: at once, scheduled, in threads, under an Idempotency-Key, and deletions. */
import { allSettled } from '../../../crash/all-settled.ts';
import type { RestAnswer, ServerProcess } from '../../../crash/install.ts';
import { waitUntil } from '../../../crash/wait-until.ts';
import { startPlatformServers } from '../../../platforms/servers/index.ts';
import type { PlatformServer } from '../../../platforms/servers/platform-server.ts';
import type { WireCall } from '../../../platforms/fakes/wire.ts';
import type { Sampler } from '../../../simulation/sampler.ts';
import { brokenRules, type CaseInstall, type CaseTools, type Kind } from '../kill-case.ts';
import { createKillSwitch, type KillPlan, type KillSwitch } from '../kill-switch.ts';

const SANDBOX = 'sandbox';

/** Longest wait for all posts to be settled, also behind other work. */
const SETTLED_WITHIN_MS = 180_000;

const PLATFORMS = 4;
const REQUESTS = { least: 5, most: 9 };

interface Asked {
  readonly text: string;
  readonly body: { readonly text: string; readonly connectionSlugs: readonly string[] };
  readonly key: string | undefined;
  answer?: RestAnswer;
}

interface Round {
  readonly tools: CaseTools;
  readonly switched: KillSwitch;
  readonly slugs: readonly string[];
  readonly asked: Asked[];
  /** Texts of posts whose deletion was asked for. */
  readonly deletions: Set<string>;
}

export const sends: Kind = {
  name: 'sends',
  run: async (kills, tools) => {
    const { sampler } = tools;
    const switched = createKillSwitch({ nameOf: nameOfCall, slowestMs: 60, sampler: tools.noise });
    const servers = await startPlatformServers({ now: () => new Date(), tap: switched.tap });
    tools.defer(() => servers[Symbol.asyncDispose]());
    const install = await tools.createInstall({ settings: servers.env, template: tools.migrated });
    let server = await install.start();
    const chosen = choose(servers.all, sampler);
    for (const { platformId, credentials } of chosen) {
      const { status, body } = await server.rest('POST /connections', {
        body: { platformId, credentials, slug: platformId },
      });
      if (status !== 200) throw new Error(`${platformId} was not connected: ${JSON.stringify(body)}`);
    }
    const slugs = [SANDBOX, ...chosen.map(({ platformId }) => platformId as string)];
    const round: Round = { tools, switched, slugs, asked: [], deletions: new Set() };
    for (let kill = 0; kill < kills; kill += 1) {
      const plan = drawPlan(sampler);
      const killed = switched.kill(server, plan);
      const traffic = startTraffic(server, round, kill);
      tools.killedAt(await killed);
      await traffic;
      server = await install.startAgain();
    }
    await repeatKeyed(server, round);
    await allSettled(server, SETTLED_WITHIN_MS);
    await server.stop();
    for (const { rule, subject } of await brokenRules(install)) tools.violation(`${rule}: ${subject}`);
    await compare(install, chosen, round);
  },
};

/** Instagram takes no post without an image; its calls are those of Threads. */
function choose(all: readonly PlatformServer[], sampler: Sampler): PlatformServer[] {
  const rest = all.filter(({ needsImage }) => needsImage !== true);
  return Array.from({ length: PLATFORMS }, () => rest.splice(sampler.int(0, rest.length - 1), 1)[0]).filter(
    (server) => server !== undefined,
  );
}

function drawPlan(sampler: Sampler): KillPlan {
  const moment = sampler.weighted({ arrived: 22, decided: 28, answered: 24, response: 13, time: 13 });
  const nth = sampler.int(1, moment === 'response' ? 4 : 8);
  const longest = { arrived: 5, decided: 5, answered: 20, response: 15, time: 1_500 }[moment];
  return { moment, nth, delayMs: sampler.chance(0.4) && moment !== 'time' ? 0 : sampler.int(0, longest) };
}

function nameOfCall({ method, path }: WireCall): string | null {
  if (/session|oauth|token/i.test(path)) return null;
  if (method === 'DELETE' || /delete|\/del$/i.test(path)) return 'delete';
  return method === 'GET' || /history|info|auth\.test|getMe|getChat/i.test(path) ? 'search' : 'create';
}

/** Ends when every request is answered or cut off. */
async function startTraffic(server: ServerProcess, round: Round, kill: number): Promise<void> {
  const { sampler } = round.tools;
  const count = sampler.int(REQUESTS.least, REQUESTS.most);
  await Promise.all(Array.from({ length: count }, (_, index) => ask(server, round, `p${kill}n${index}q`)));
}

async function ask(server: ServerProcess, round: Round, text: string): Promise<void> {
  const { sampler } = round.tools;
  const connectionSlugs = sampler.chance(0.3) ? round.slugs.slice(0, 3) : [sampler.pick(round.slugs)];
  const isScheduled = sampler.chance(0.35);
  const isThread = !isScheduled && sampler.chance(0.2);
  const key = !isScheduled && sampler.chance(0.3) ? `key of ${text}` : undefined;
  const dueInMs = sampler.int(100, 1_200);
  const isDeleted = sampler.chance(0.2);
  const body = {
    text: `post ${text}`,
    connectionSlugs: isThread
      ? [SANDBOX, ...connectionSlugs.filter((slug) => slug === 'bluesky' || slug === 'mastodon')]
      : connectionSlugs,
    ...(isThread && { thread: [`reply a ${text}`, `reply b ${text}`] }),
    ...(isScheduled && { scheduledFor: new Date(Date.now() + dueInMs).toISOString() }),
  };
  const asked: Asked = { text, body, key };
  round.asked.push(asked);
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  try {
    const answer = await round.switched.request(server.rest('POST /posts', { body, headers }));
    asked.answer = answer;
    const [result] = answer.body.results ?? [];
    if (!isDeleted || result?.status !== 'sent') return;
    round.deletions.add(text);
    await round.switched.request(server.rest(`DELETE /posts/${result.postId}`));
  } catch {
    // The server was killed before it answered.
  }
}

/** A keyed request that was cut off is repeated, as its caller would. */
async function repeatKeyed(server: ServerProcess, { asked, tools }: Round): Promise<void> {
  for (const one of asked) {
    const { key, body, text, answer } = one;
    if (key === undefined) continue;
    const headers = { 'idempotency-key': key };
    const repeated = await waitUntil(`the repeated request ${text} is answered`, async () => {
      const response = await server.rest('POST /posts', { body, headers });
      return response.status !== 409 && response;
    });
    if (repeated.status !== 200) tools.violation(`the repeated request ${text} was answered ${repeated.status}`);
    const ids = (of: RestAnswer | undefined) => of?.body.results?.map(({ postId }: { postId: string }) => postId);
    if (answer?.status === 200 && String(ids(answer)) !== String(ids(repeated)))
      tools.violation(`the repeated request ${text} made other posts: ${ids(answer)} and ${ids(repeated)}`);
    one.answer = repeated;
  }
}

interface PostRow {
  readonly id: string;
  readonly slug: string;
  readonly status: string;
  readonly text: string;
  readonly code: string | null;
  readonly replies: number;
}

async function compare(install: CaseInstall, chosen: readonly PlatformServer[], round: Round): Promise<void> {
  const { tools, asked, deletions } = round;
  const posts = await install.sql<PostRow>(`select id, connection_slug as slug, status, original_text as text,
    error_code as code, coalesce(array_length(thread, 1), 0) as replies from posts`);
  const timeline = await install.sql<{ text: string }>(`select text from sandbox_posts where deleted_at is null`);
  const existing = new Map([[SANDBOX, timeline.map(({ text }) => text)]]);
  for (const { platformId, existing: list } of chosen) existing.set(platformId, await list());
  const named = (slug: string, text: string) =>
    (existing.get(slug) ?? []).filter((found) => found.includes(text)).length;

  for (const { text, body, answer } of asked) {
    if (answer?.status !== 200) continue;
    for (const { postId, status, error } of answer.body.results) {
      if (postId === null || postId === undefined) continue;
      const post = posts.find(({ id }) => id === postId);
      if (post === undefined) tools.violation(`post ${text} was answered ${status} and is not stored`);
      else if (status === 'sent' && !['sent', 'deleted'].includes(post.status))
        tools.violation(`post ${text} was answered sent and is ${post.status}`);
      else if (status === 'failed' && post.status !== 'failed')
        tools.violation(`post ${text} was answered failed (${error?.code}) and is ${post.status}`);
    }
    if (answer.body.results.length !== body.connectionSlugs.length)
      tools.violation(`post ${text} was answered for ${answer.body.results.length} of ${body.connectionSlugs.length}`);
  }
  for (const { slug, status, text, code, replies } of posts) {
    const word = /p\d+n\d+q/.exec(text)?.[0] ?? text;
    const parts = ['post', ...['reply a', 'reply b'].slice(0, replies)];
    tools.count(`${slug === SANDBOX ? SANDBOX : 'platform'} posts ${code ?? status}`);
    const same = posts.filter((other) => other.slug === slug && other.text === text);
    if (same.length > 1) tools.violation(`${text} is stored ${same.length} times for ${slug}`);
    for (const part of parts) {
      const count = named(slug, `${part} ${word}`);
      const describe = `${part} ${word} is on ${slug} ${count} times, and the post is ${status} (${code})`;
      if (count > 1) tools.violation(describe);
      if (status === 'deleted' && count > 0) tools.violation(describe);
      if (deletions.has(word)) continue;
      if (status === 'sent' && count !== 1) tools.violation(describe);
      if (status === 'failed' && code !== 'outcome_unknown' && count > 0) tools.violation(describe);
    }
  }
  for (const [slug, texts] of existing) {
    for (const found of texts) {
      const word = /p\d+n\d+q/.exec(found)?.[0] ?? found;
      if (!posts.some((post) => post.slug === slug && post.text.includes(word)))
        tools.violation(`${found} is on ${slug} and no post has its text`);
    }
  }
}

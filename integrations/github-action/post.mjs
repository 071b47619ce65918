/**
 * Publishes a post from a workflow. A run that is started again does not post again: the key of the request is made of the run,
 * the step and what is posted. Fails the step when a connection fails. Without dependencies, because actions are not installed.
 */
import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
// oxlint-disable-next-line no-restricted-imports -- no clock is passed in here
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds before each further try when there is no answer, 429 or 503. The same key makes them safe. */
const RETRY_AFTER_MS = [1_000, 5_000, 20_000];

/** While the request whose answer was lost still runs: milliseconds until it is asked about again, and how often. */
const RUNNING_DELAY_MS = 2_000;
const RUNNING_TRIES = 45;

const { env } = process;
const input = (name) => (env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
const list = (name) =>
  input(name)
    .split(/[\s,]+/)
    .filter(Boolean);

/** Texts from outside must not be read as commands of the runner: these begin a line with `::`. */
const data = (text) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const oneLine = (text) => String(text).replaceAll(/\s+/g, ' ');

function output(name, value) {
  if (env.GITHUB_OUTPUT === undefined) return;
  const end = `end-${createHash('sha256').update(value).digest('hex')}`;
  appendFileSync(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}

function bodyOfInputs() {
  const body = { text: input('text'), connectionSlugs: list('connections') };
  if (input('at') !== '') body.scheduledFor = input('at');
  if (input('zone') !== '') body.timezone = input('zone');
  if (input('queue') === 'true') body.queue = true;
  if (input('draft') === 'true') body.isDraft = true;
  if (list('tags').length > 0) body.tags = list('tags');
  return JSON.stringify(body);
}

/** @returns the answer, with what its body says as text when it is not JSON */
async function send(body) {
  const run = [env.GITHUB_REPOSITORY_ID, env.GITHUB_RUN_ID, env.GITHUB_JOB, env.GITHUB_ACTION].join(' ');
  const headers = {
    'x-api-key': input('key'),
    'content-type': 'application/json',
    'idempotency-key': `github-${createHash('sha256').update(`${run}\n${body}`).digest('hex')}`,
  };
  const left = {
    running: Array.from({ length: RUNNING_TRIES }, () => RUNNING_DELAY_MS),
    unavailable: [...RETRY_AFTER_MS],
  };
  for (;;) {
    const answer = await request(new URL('/api/v2/posts', input('url')), { method: 'POST', headers, body });
    const pause = left[kindOf(answer)]?.shift();
    if (pause === undefined) return answer;
    await wait(Math.max(pause, answer.retryAfterMs));
  }
}

/** Why the same request may be answered later; undefined when it will not be. */
function kindOf({ status, body }) {
  if (status === 409 && body.retryable === true) return 'running';
  return [0, 429, 503].includes(status) ? 'unavailable' : undefined;
}

async function request(url, options) {
  try {
    const response = await globalThis.fetch(url, { ...options, redirect: 'error' });
    const text = await response.text();
    const retryAfterMs = Math.min(Number(response.headers.get('retry-after') ?? 0) * 1_000 || 0, 60_000);
    return { status: response.status, retryAfterMs, body: parsed(text) };
  } catch (error) {
    const cause = error.cause?.message ?? error.message;
    return { status: 0, retryAfterMs: 0, body: { message: `${url.origin} does not answer: ${cause}` } };
  }
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 500) };
  }
}

function fail(message) {
  console.log(`::error title=Carillon::${data(message)}`);
  process.exitCode = 1;
}

if (input('key') !== '') console.log(`::add-mask::${input('key')}`);
const missing = ['url', 'key', 'text', 'connections'].filter((name) => input(name) === '');
if (missing.length > 0) {
  fail(`Set the input ${missing.join(' and ')}.`);
} else {
  const { status, body } = await send(bodyOfInputs());
  if (status === 200) {
    for (const { connectionSlug, status: outcome, url, error } of body.results) {
      console.log(`- ${oneLine(connectionSlug)}: ${oneLine(error === null ? (url ?? outcome) : outcome)}`);
      if (error !== null) fail(`${connectionSlug}: ${error.message} ${error.hint ?? ''}`.trim());
    }
    output('results', JSON.stringify(body.results));
    output('urls', body.results.flatMap(({ url }) => url ?? []).join('\n'));
  } else {
    fail([body.message, body.hint].filter(Boolean).join(' '));
  }
}

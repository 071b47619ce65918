/** `carillon stop`, `release`, `policies` and `policy`. */
import { describe, expect, it } from 'vitest';
import { connectSandbox } from '../harness/connections.ts';
import { makePost } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';
import { runCli } from './run-cli.ts';

const world = await startWorld();
const connection = await connectSandbox(world, { slug: 'bell' });
const run = (args: string[]) => runCli(world, args);

describe('stops and policies', () => {
  it('stop only what is named', async () => {
    const agent = await world.key({});

    const { stdout } = await run(['stop', '--made-by-key', agent.id, '--reason', 'Nonsense', '--json']);

    const { stop } = JSON.parse(stdout);
    expect([stop.kind, stop.targetId, stop.reason]).toEqual(['key', agent.id, 'Nonsense']);
    const released = await run(['release', stop.id]);
    expect(released.stdout).toBe('Released: the held posts go on.\n');
  });

  it('show, set, try and remove the policy of a key', async () => {
    const agent = await world.key({});
    const rules = ['--per-hour', '2', '--quiet', '22:00-07:00', '--timezone', 'Europe/Lisbon', '--ask-word', 'refund'];
    await makePost(world, 'bell', { key: agent.secret, text: 'A refund' });

    const tried = await run(['policy', agent.id, ...rules, '--try']);
    const missing = await run(['policy', agent.id]);
    const set = await run(['policy', agent.id, ...rules, '--ask-links', '--allow-host', 'example.com']);
    const listed = await run(['policies']);
    const removed = await run(['policy', agent.id, '--remove']);

    expect(tried.stdout).toContain('1 of 1 posts would have been stopped.');
    expect([missing.exitCode === 0, missing.stderr]).toEqual([false, expect.stringContaining('has a policy')]);
    expect(set.stdout).toBe(
      [
        'Key               A key',
        'In 60 minutes     at most 2, 0 used',
        'Quiet hours       22:00 to 07:00 (Europe/Lisbon)',
        'Asks about words  refund',
        'Asks about links  all, except to example.com',
        '',
      ].join('\n'),
    );
    expect(listed.stdout).toMatch(new RegExp(`^ID +OF +NAME +LAST HOUR +LAST DAY +SET BY\\n${agent.id} +key +A key +`));
    expect(removed.stdout).toBe(`The policy of ${agent.id} is removed.\n`);
  });

  describe('that is changed', () => {
    const RULES = [
      ['--per-hour', '2', '--per-day', '9', '--quiet', '22:00-07:00', '--timezone', 'Europe/Lisbon', '--spend', '90'],
      ['--platform', 'sandbox', '--connection', connection.id, '--ask-always', '--ask-word', 'refund', '--ask-links'],
      ['--allow-host', 'example.com'],
    ].flat();
    const rulesOf = async (...args: string[]) => JSON.parse((await run([...args, '--json'])).stdout).policy.rules;

    it('keeps the rules that no option names', async () => {
      const agent = await world.key({});
      const before = await rulesOf('policy', agent.id, ...RULES);

      const after = await rulesOf('policy', agent.id, '--per-day', '30', '--quiet', '21:00-08:00');

      const quietHours = { from: '21:00', to: '08:00', timezone: 'Europe/Lisbon' };
      expect(after).toEqual({ ...before, postsPerDay: 30, quietHours });
      expect(await rulesOf('policy', agent.id)).toEqual(after);
    });

    it('is tried with the rules that no option names', async () => {
      const agent = await world.key({});
      await makePost(world, 'bell', { key: agent.secret, text: 'A refund' });
      await run(['policy', agent.id, '--ask-word', 'refund']);

      const kept = await run(['policy', agent.id, '--per-day', '30', '--try']);
      const removed = await run(['policy', agent.id, '--remove-rule', 'ask-word', '--try']);

      expect(kept.stdout).toContain('1 of 1 posts would have been stopped.');
      expect(removed.stdout).toContain('0 of 1 posts would have been stopped.');
    });

    it.each([
      ['per-hour', { postsPerHour: null }],
      ['per-day', { postsPerDay: null }],
      ['quiet', { quietHours: null }],
      ['spend', { spendCentsPerMonth: null }],
      ['connection', { connectionIds: null }],
      ['platform', { platforms: null }],
      ['ask-always', { approvalAlways: false }],
      ['ask-word', { approvalWords: [] }],
      ['ask-links', { approvalLinks: false }],
      ['allow-host', { linkHosts: [] }],
    ])('loses only the rule of --remove-rule %s', async (rule, expected) => {
      const agent = await world.key({});
      const before = await rulesOf('policy', agent.id, ...RULES);

      expect(await rulesOf('policy', agent.id, '--remove-rule', rule)).toEqual({ ...before, ...expected });
    });
  });

  it.each([
    [['--remove-rule', 'day'], '--remove-rule is one of per-hour, per-day, '],
    [['--remove-rule', 'spend', '--spend', '3'], '--remove-rule spend goes without --spend.'],
    [['--remove', '--remove-rule', 'spend'], '--remove goes without rules.'],
    [['--per-hour', 'many'], '--per-hour is a whole number, not "many".'],
    [['--timezone', 'UTC'], '--timezone goes together with --quiet.'],
    [['--remove', '--ask-links'], '--remove goes without rules.'],
  ])('refuse %j', async (options, message) => {
    const { exitCode, stderr } = await run(['policy', connection.id, ...options]);

    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

/** Tasks of an agent that a person watches: a policy says what it may send alone. */
import { equal, match } from 'node:assert/strict';
import type { Scene } from '../scene.ts';
import type { Task } from '../task.ts';

/** Sets the policy of the key that the agent uses. */
async function setPolicy(scene: Scene, rules: object): Promise<void> {
  const { keys } = await scene.done('GET /keys');
  await scene.done(`PUT /policies/${keys[0].id}`, rules);
}

export const supervised: readonly Task[] = [
  {
    id: 'schedule a post for the end of quiet hours',
    arrange: (scene) => setPolicy(scene, { quietHours: { from: '11:00', to: '14:00', timezone: 'UTC' } }),
    ask: 'Post “Good afternoon” to the sandbox now, or at the first moment at which you may.',
    solve: async (reader) => {
      const { results } = await reader.call('validate_post', {
        text: 'Good afternoon',
        connectionSlugs: ['sandbox'],
      });
      const [{ rules }] = results;
      equal(rules[0].effect, 'refused');
      const scheduledFor = rules[0].retryAt;
      await reader.call('create_post', { text: 'Good afternoon', connectionSlugs: ['sandbox'], scheduledFor });
    },
    check: (scene) => scene.hasPosts([{ status: 'scheduled', scheduledFor: '2026-11-21T14:00:00.000Z' }]),
  },
  {
    id: 'read in the refusal when a post is allowed',
    arrange: async (scene) => {
      await setPolicy(scene, { postsPerHour: 1 });
      await scene.post('The first');
    },
    ask: 'Post “The second” to the sandbox. If that is not allowed now, schedule it for when it is.',
    solve: async (reader) => {
      const post = { text: 'The second', connectionSlugs: ['sandbox'] };
      const { results } = await reader.call('create_post', post);
      equal(results[0].error.code, 'policy_refused');
      const scheduledFor = /Try again from (\S+Z)\./.exec(results[0].error.message)?.[1];
      await reader.call('create_post', { ...post, scheduledFor });
    },
    check: (scene) =>
      scene.hasPosts([
        { status: 'sent', text: 'The first' },
        { status: 'scheduled', text: 'The second', scheduledFor: '2026-11-21T13:00:00.000Z' },
      ]),
  },
  {
    id: 'say that a link waits for a person, and do not send it twice',
    arrange: (scene) => setPolicy(scene, { approvalLinks: true }),
    ask: 'Post “Tickets at https://bells.example” to the sandbox, and tell me whether it is out.',
    solve: async (reader) => {
      const { results } = await reader.call('create_post', {
        text: 'Tickets at https://bells.example',
        connectionSlugs: ['sandbox'],
      });
      const [{ status, approval }] = results;
      return `It is a ${status}: ${approval.state}. ${approval.reason}`;
    },
    check: async (scene, reply) => {
      await scene.hasPosts([{ status: 'draft' }]);
      match(reply, /pending|wait|approv|person/i);
    },
  },
];

/** Tasks about connections, profiles, webhooks, keys and files. */
import { deepEqual, equal, match } from 'node:assert/strict';
import type { Task } from '../task.ts';

export const managing: readonly Task[] = [
  {
    id: 'make a link for a new customer',
    path: '/mcp/all',
    ask: 'We have a new customer, Hill Farm. Make a place for them and a link with which they connect their own account; afterwards they should land on https://hill.example/ok.',
    solve: async (reader) => {
      const { profile } = await reader.call('create_profile', { name: 'Hill Farm' });
      const redirectUrl = 'https://hill.example/ok';
      return JSON.stringify(await reader.call('start_connection', { profileId: profile.id, redirectUrl }));
    },
    check: async (scene, reply) => {
      deepEqual(
        (await scene.done('GET /profiles')).profiles.map(({ name }: { name: string }) => name),
        ['Hill Farm'],
      );
      match(reply, /\/connect\//);
    },
  },
  {
    id: 'correct the page after connecting',
    path: '/mcp/all',
    arrange: async (scene) => void (await scene.done('POST /profiles', { name: 'Hill Farm' })),
    ask: 'Make a connect link for Hill Farm that ends on hill.example/ok.',
    solve: async (reader) => {
      const { profiles } = await reader.call('list_profiles');
      const profileId = profiles[0].id;
      await reader.mistake('start_connection', { profileId, redirectUrl: 'hill.example/ok' }, 'invalid_request');
      return JSON.stringify(
        await reader.call('start_connection', { profileId, redirectUrl: 'https://hill.example/ok' }),
      );
    },
    check: (_scene, reply) => match(reply, /\/connect\//),
  },
  {
    id: 'rename an account',
    path: '/mcp/all',
    ask: 'Call the sandbox “Playground” from now on.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      await reader.call('update_connection', { connectionId: connections[0].id, description: 'Playground' });
    },
    check: async (scene) => equal((await scene.connection('sandbox')).description, 'Playground'),
  },
  {
    id: 'move an account to a customer',
    path: '/mcp/all',
    arrange: async (scene) => void (await scene.done('POST /profiles', { name: 'Acme' })),
    ask: 'The sandbox belongs to the customer Acme.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      const { profiles } = await reader.call('list_profiles');
      await reader.call('move_connection', { connectionId: connections[0].id, profileId: profiles[0].id });
    },
    check: async (scene) => {
      const { profiles } = await scene.done('GET /profiles');
      equal((await scene.connection('sandbox')).profileId, profiles[0].id);
    },
  },
  {
    id: 'disconnect an account',
    path: '/mcp/all',
    connections: ['mastodon', 'bluesky'],
    ask: 'Disconnect Mastodon; we have left it.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      const found = connections.find((one: { platformId: string }) => one.platformId === 'mastodon');
      await reader.call('delete_connection', { connectionId: found.id });
    },
    check: async (scene) => {
      const { connections } = await scene.done('GET /connections');
      deepEqual(
        connections.map(({ slug }: { slug: string }) => slug),
        ['bluesky'],
      );
    },
  },
  {
    id: 'set the polish of an account',
    path: '/mcp/all',
    ask: 'Posts to the sandbox should be polished unless I say otherwise.',
    solve: async (reader) => {
      const { connections } = await reader.call('list_connections');
      await reader.call('update_connection', { connectionId: connections[0].id, rewriteMode: 'on' });
    },
    check: async (scene) => equal((await scene.connection('sandbox')).rewriteMode, 'on'),
  },
  {
    id: 'rename a customer',
    path: '/mcp/all',
    arrange: async (scene) => void (await scene.done('POST /profiles', { name: 'Acme' })),
    ask: 'The customer Acme is called Apex now.',
    solve: async (reader) => {
      const { profiles } = await reader.call('list_profiles');
      await reader.call('update_profile', { profileId: profiles[0].id, name: 'Apex' });
    },
    check: async (scene) => equal((await scene.done('GET /profiles')).profiles[0].name, 'Apex'),
  },
  {
    id: 'add a webhook',
    path: '/mcp/all',
    ask: 'Tell http://127.0.0.1:9/posts whenever a post was sent or failed.',
    solve: async (reader) => {
      const events = ['post.sent', 'post.failed'];
      await reader.call('create_webhook', { url: 'http://127.0.0.1:9/posts', events });
    },
    check: async (scene) => {
      const { webhooks } = await scene.done('GET /webhooks');
      deepEqual(
        [webhooks[0].url, webhooks[0].events.toSorted()],
        ['http://127.0.0.1:9/posts', ['post.failed', 'post.sent']],
      );
    },
  },
  {
    id: 'correct the name of an event',
    path: '/mcp/all',
    ask: 'Tell http://127.0.0.1:9/gone whenever a post was taken down.',
    solve: async (reader) => {
      const url = 'http://127.0.0.1:9/gone';
      await reader.mistake('create_webhook', { url, events: ['post.removed'] }, 'invalid_request');
      await reader.call('create_webhook', { url, events: ['post.deleted'] });
    },
    check: async (scene) => deepEqual((await scene.done('GET /webhooks')).webhooks[0].events, ['post.deleted']),
  },
  {
    id: 'stop a webhook',
    path: '/mcp/all',
    arrange: async (scene) => void (await scene.done('POST /webhooks', { url: 'http://127.0.0.1:9/hook' })),
    ask: 'Our receiver is down until tomorrow: hold the deliveries back, and lose none that wait.',
    solve: async (reader) => {
      const { webhooks } = await reader.call('list_webhooks');
      await reader.call('update_webhook', { webhookId: webhooks[0].id, enabled: false });
    },
    check: async (scene) =>
      match(JSON.stringify((await scene.done('GET /webhooks')).webhooks[0]), /disabled|"enabled":false/),
  },
  {
    id: 'give a webhook a new secret',
    path: '/mcp/all',
    arrange: async (scene) => void (await scene.done('POST /webhooks', { url: 'http://127.0.0.1:9/hook' })),
    ask: 'The secret of our webhook may have leaked: give it a new one, and tell me the new one.',
    solve: async (reader) => {
      const { webhooks } = await reader.call('list_webhooks');
      return JSON.stringify(await reader.call('rotate_webhook_secret', { webhookId: webhooks[0].id }));
    },
    check: (_scene, reply) => match(reply, /whsec_/),
  },
  {
    id: 'subscribe to a calendar',
    path: '/mcp/all',
    ask: 'I want to see our planned posts in my calendar.',
    solve: async (reader) => (await reader.call('create_calendar', {})).calendar.url,
    check: (_scene, reply) => match(reply, /https?:\/\/\S+\.ics/),
  },
  {
    id: 'import a table after trying it',
    path: '/mcp/all',
    ask: 'Import these posts for the sandbox as drafts; try it first, and leave out rows that are wrong:\ntext\nHello Monday\n\nHello Tuesday',
    solve: async (reader) => {
      await reader.call('list_connections');
      const file = { format: 'csv', content: 'text\nHello Monday\nHello Tuesday\n', connectionSlugs: ['sandbox'] };
      await reader.call('start_import', { ...file, dryRun: true });
      const started = await reader.call('start_import', file);
      await reader.call('get_import', { importId: started.import.id });
    },
    check: async (scene) => {
      await scene.world.runDue();
      await scene.hasPosts([
        { text: 'Hello Monday', status: 'draft' },
        { text: 'Hello Tuesday', status: 'draft' },
      ]);
    },
  },
  {
    id: 'turn a feed into drafts',
    path: '/mcp/all',
    ask: 'Make drafts for the sandbox from our blog at https://blog.example/feed.xml.',
    solve: async (reader) => {
      await reader.call('list_connections');
      await reader.call('create_feed', { url: 'https://blog.example/feed.xml', connectionSlugs: ['sandbox'] });
    },
    check: async (scene) => {
      const { feeds } = await scene.done('GET /feeds');
      deepEqual([feeds[0].url, feeds[0].delivery], ['https://blog.example/feed.xml', 'draft']);
    },
  },
  {
    id: 'make a key for a customer',
    path: '/mcp/x/keys',
    arrange: async (scene) => {
      const { profile } = await scene.done('POST /profiles', { name: 'Acme' });
      return { profileId: profile.id };
    },
    ask: ({ profileId }) => `Make a live key named “Acme shop” for the profile ${profileId}, and tell me the key.`,
    solve: async (reader, { profileId }) =>
      JSON.stringify(await reader.call('mint_key', { profileId, name: 'Acme shop', type: 'live' })),
    check: (_scene, reply) => match(reply, /crl_live_/),
  },
  {
    id: 'end the key of a customer',
    path: '/mcp/x/keys',
    arrange: async (scene) => {
      const { profile } = await scene.done('POST /profiles', { name: 'Acme' });
      await scene.rest(`POST /profiles/${profile.id}/keys`, { name: 'Old shop', type: 'live' });
      return { profileId: profile.id };
    },
    ask: ({ profileId }) => `End the key “Old shop” of the profile ${profileId}.`,
    solve: async (reader, { profileId }) => {
      const { keys } = await reader.call('list_profile_keys', { profileId });
      await reader.call('revoke_profile_key', { profileId, keyId: keys[0].id });
    },
    check: async (scene, _reply, { profileId }) => {
      const { keys } = await scene.done(`GET /profiles/${profileId}/keys`);
      equal(
        keys.every(({ revokedAt }: { revokedAt: string | null }) => revokedAt !== null),
        true,
      );
    },
  },
  {
    id: 'say that a tool is on another path',
    ask: 'Pause the queue of the sandbox. If you cannot, tell me what is missing.',
    solve: async (reader) => {
      await reader.call('list_connections');
      return 'My tools have no way to pause a queue; connect me to /mcp/x/queues.';
    },
    check: async (scene) => equal((await scene.connection('sandbox')).queuePaused, false),
  },
];

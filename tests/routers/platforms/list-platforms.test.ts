/** GET /platforms returns the limits and capabilities of each platform. */
import { describe, expect, it } from 'vitest';
import { PLATFORM_IDS } from '../../../platforms/registry.ts';
import { startWorld, type World } from '../../harness/world.ts';

const world = await startWorld();

interface PlatformBody {
  id: string;
  delete: boolean;
  missingSettings: readonly string[];
}

describe('200', () => {
  it('lists the capabilities of the sandbox', async () => {
    const { status, body } = await world.rest('GET /platforms');

    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['platforms']);
    expect(body.platforms.find(({ id }: PlatformBody) => id === 'sandbox')).toEqual({
      id: 'sandbox',
      name: 'Sandbox',
      kind: 'broadcast',
      text: { maxLength: 500, unit: 'graphemes' },
      images: {
        max: 5,
        maxBytes: 8_388_608,
        types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
        altTextMax: 1000,
      },
      thread: true,
      firstComment: false,
      delete: true,
      permalink: true,
      metrics: ['likes', 'reposts', 'replies'],
      connect: ['credentials', 'page'],
      apiVersion: null,
      missingSettings: [],
      registerAppAt: null,
    });
  });

  it('lists the capabilities of a Facebook Page', async () => {
    const { body } = await world.rest('GET /platforms');

    expect(body.platforms.find(({ id }: PlatformBody) => id === 'facebook')).toEqual({
      id: 'facebook',
      name: 'Facebook',
      kind: 'broadcast',
      text: { maxLength: 63_206, unit: 'characters' },
      images: {
        max: 5,
        maxBytes: 4_000_000,
        types: ['image/png', 'image/jpeg', 'image/gif'],
        altTextMax: 1000,
      },
      thread: false,
      firstComment: true,
      delete: true,
      permalink: true,
      metrics: [],
      connect: ['credentials'],
      apiVersion: 'v26.0',
      missingSettings: ['META_CLIENT_ID', 'META_CLIENT_SECRET'],
      registerAppAt: 'https://developers.facebook.com/apps',
    });
  });

  it('shows that a post to Instagram needs an image', async () => {
    const { body } = await world.rest('GET /platforms');

    expect(body.platforms.find(({ id }: PlatformBody) => id === 'instagram')).toEqual({
      id: 'instagram',
      name: 'Instagram',
      kind: 'broadcast',
      text: { maxLength: 2_200, unit: 'characters' },
      images: { min: 1, max: 5, maxBytes: 8_000_000, types: ['image/jpeg'], altTextMax: 1000 },
      thread: false,
      firstComment: false,
      delete: false,
      permalink: true,
      metrics: [],
      connect: ['credentials'],
      apiVersion: 'v26.0',
      missingSettings: ['META_CLIENT_ID', 'META_CLIENT_SECRET'],
      registerAppAt: 'https://developers.facebook.com/apps',
    });
  });

  it('shows how Threads counts characters', async () => {
    const { body } = await world.rest('GET /platforms');

    expect(body.platforms.find(({ id }: PlatformBody) => id === 'threads')).toEqual({
      id: 'threads',
      name: 'Threads',
      kind: 'broadcast',
      text: { maxLength: 500, unit: 'emoji_bytes' },
      images: { max: 5, maxBytes: 8_000_000, types: ['image/jpeg', 'image/png'], altTextMax: 1000 },
      thread: false,
      firstComment: false,
      delete: false,
      permalink: true,
      metrics: [],
      connect: ['credentials'],
      apiVersion: 'v1.0',
      missingSettings: ['THREADS_CLIENT_ID', 'THREADS_CLIENT_SECRET'],
      registerAppAt: 'https://developers.facebook.com/apps',
    });
  });

  it('lists the capabilities of LinkedIn and Reddit', async () => {
    const { body } = await world.rest('GET /platforms');

    expect(body.platforms.filter(({ id }: PlatformBody) => ['linkedin', 'reddit'].includes(id))).toEqual([
      {
        id: 'linkedin',
        name: 'LinkedIn',
        kind: 'broadcast',
        text: { maxLength: 3_000, unit: 'characters' },
        images: {
          max: 5,
          maxBytes: 8_388_608,
          types: ['image/png', 'image/jpeg', 'image/gif'],
          altTextMax: 1000,
        },
        thread: false,
        firstComment: true,
        delete: true,
        permalink: true,
        metrics: ['impressions', 'likes', 'replies', 'clicks'],
        connect: ['credentials'],
        apiVersion: '202607',
        missingSettings: ['LINKEDIN_CLIENT_ID', 'LINKEDIN_CLIENT_SECRET'],
        registerAppAt: 'https://www.linkedin.com/developers/apps',
      },
      {
        id: 'reddit',
        name: 'Reddit',
        kind: 'broadcast',
        text: { maxLength: 40_000, unit: 'markdown' },
        images: {
          max: 1,
          maxBytes: 8_388_608,
          types: ['image/png', 'image/jpeg', 'image/gif'],
          altTextMax: null,
        },
        thread: false,
        firstComment: false,
        delete: true,
        permalink: true,
        metrics: [],
        connect: ['credentials'],
        apiVersion: null,
        missingSettings: ['REDDIT_CLIENT_ID', 'REDDIT_CLIENT_SECRET'],
        registerAppAt: 'https://www.reddit.com/prefs/apps',
      },
    ]);
  });

  it('names the settings that a platform lacks, and none once they are set', async () => {
    const set = await startWorld({ env: { X_CLIENT_ID: 'our-app', SLACK_CLIENT_ID: 'a', SLACK_CLIENT_SECRET: 'b' } });
    const missing = async ({ rest }: World) => {
      const { body } = await rest('GET /platforms');
      const named = body.platforms.filter(({ id }: PlatformBody) => ['x', 'slack', 'sms', 'email'].includes(id));
      return Object.fromEntries(named.map(({ id, missingSettings }: PlatformBody) => [id, missingSettings]));
    };

    expect(await missing(world)).toEqual({
      x: ['X_CLIENT_ID'],
      slack: ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET'],
      sms: ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'],
      email: ['SMTP_URL', 'SMTP_FROM'],
    });
    expect(await missing(set)).toMatchObject({ x: [], slack: [] });
  });

  it('lists every platform of the install once, in display order', async () => {
    const { body } = await world.rest('GET /platforms');

    expect(body.platforms.map(({ id }: PlatformBody) => id)).toEqual([...PLATFORM_IDS]);
  });

  it('says that a post can be deleted exactly when the platform has a delete operation', async () => {
    const { body } = await world.rest('GET /platforms');

    const { platforms } = world.context;
    expect(body.platforms.map(({ id, delete: has }: PlatformBody) => [id, has])).toEqual(
      PLATFORM_IDS.map((id) => [id, platforms[id].remove !== undefined]),
    );
  });

  it('returns the same to every key', async () => {
    const profile = await world.profile();
    const [scoped, testKey] = [await world.key({ profileId: profile.id }), await world.key({ type: 'test' })];

    const answers = await Promise.all(
      [world.liveKey, scoped.secret, testKey.secret].map((key) => world.rest('GET /platforms', { key })),
    );

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[1]?.body).toEqual(answers[0]?.body);
    expect(answers[2]?.body).toEqual(answers[0]?.body);
  });
});

/** Mastodon's complete entities, filled with the fake's data. */

const NOWHERE = 'https://files.example/missing.png';

/** @see https://docs.joinmastodon.org/entities/Account/ */
export function accountEntity({ id, username }: { readonly id: string; readonly username: string }, origin: string) {
  return {
    id,
    username,
    acct: username,
    display_name: username,
    locked: false,
    bot: false,
    group: false,
    discoverable: true,
    indexable: false,
    created_at: '2020-01-01T00:00:00.000Z',
    note: '',
    url: `${origin}/@${username}`,
    uri: `${origin}/users/${username}`,
    avatar: NOWHERE,
    avatar_static: NOWHERE,
    header: NOWHERE,
    header_static: NOWHERE,
    followers_count: 0,
    following_count: 0,
    statuses_count: 0,
    last_status_at: null,
    emojis: [],
    fields: [],
  };
}

/** @see https://docs.joinmastodon.org/entities/Account/#CredentialAccount */
export function ownAccountEntity(account: { readonly id: string; readonly username: string }, origin: string) {
  return {
    ...accountEntity(account, origin),
    source: {
      privacy: 'public',
      sensitive: false,
      language: null,
      note: '',
      fields: [],
      follow_requests_count: 0,
      attribution_domains: [],
      quote_policy: 'public',
      discoverable: true,
      hide_collections: false,
      indexable: false,
    },
    role: { id: '-99', name: '', permissions: '0', color: '', highlighted: false },
  };
}

/** Fields of every status besides its content. @see https://docs.joinmastodon.org/entities/Status/ */
export const STATUS_REST = {
  sensitive: false,
  spoiler_text: '',
  language: 'en',
  reblog: null,
  media_attachments: [],
  mentions: [],
  tags: [],
  emojis: [],
  reblogs_count: 0,
  favourites_count: 0,
  replies_count: 0,
};

/** Fields of every instance besides its limits. @see https://docs.joinmastodon.org/entities/Instance/ */
export const INSTANCE_REST = {
  title: 'The Bells',
  version: '4.5.0',
  source_url: 'https://github.com/mastodon/mastodon',
  description: '',
  usage: { users: { active_month: 1 } },
  thumbnail: { url: NOWHERE },
  icon: [],
  languages: ['en'],
  registrations: {
    enabled: false,
    approval_required: false,
    message: null,
    url: null,
    min_age: null,
    reason_required: null,
  },
  api_versions: { mastodon: 6 },
  contact: { email: 'admin@bells.example', account: null },
  rules: [],
};

/** Fields of every configuration besides posts and images. */
export const CONFIGURATION_REST = {
  accounts: { max_featured_tags: 10, max_pinned_statuses: 5 },
  polls: { max_options: 4, max_characters_per_option: 50, min_expiration: 300, max_expiration: 2_629_746 },
  translation: { enabled: false },
  urls: { streaming: 'wss://bells.example' },
};

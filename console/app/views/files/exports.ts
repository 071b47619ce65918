/** What can be exported, for people. The service names the same kinds. */
import type { Right } from '../../data/session.ts';

export const FORMATS = ['csv', 'ndjson'] as const;
export type Format = (typeof FORMATS)[number];

export interface Export {
  readonly kind: string;
  readonly title: string;
  readonly what: string;
  readonly needs: Right;
}

export const EXPORTS: readonly Export[] = [
  {
    kind: 'posts',
    title: 'Posts',
    what: 'Posts in every status, drafts included, with outcome and error.',
    needs: 'posts:read',
  },
  { kind: 'metrics', title: 'Metrics', what: 'Every stored read of the metrics of posts.', needs: 'analytics:read' },
  { kind: 'audit', title: 'Activity', what: 'Who asked for which change, and how it ended.', needs: 'account:read' },
  {
    kind: 'connections',
    title: 'Connections',
    what: 'Linked accounts, without credentials.',
    needs: 'connections:read',
  },
  { kind: 'queues', title: 'Queues', what: 'The weekly slots of each connection.', needs: 'connections:read' },
  { kind: 'profiles', title: 'Profiles', what: 'Customers, with your own ids of them.', needs: 'profiles:read' },
  { kind: 'webhooks', title: 'Webhooks', what: 'Receivers of events, without secrets.', needs: 'webhooks:read' },
  {
    kind: 'media',
    title: 'Images',
    what: 'A list with sizes and alt texts. The archive has the images themselves.',
    needs: 'posts:read',
  },
];

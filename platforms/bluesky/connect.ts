/** How a customer links a Bluesky account: with an app password, or on the consent page of their own server. */
import type { HostedConnect } from '../connect.ts';
import { alternative } from './oauth.ts';

/** The credentials that POST /connections accepts. */
interface BlueskyInput {
  identifier: string;
  appPassword: string;
  service?: string | undefined;
}

export const hosted: HostedConnect<BlueskyInput> = {
  fields: [
    {
      name: 'identifier',
      label: 'Handle',
      hint: 'Such as alice.bsky.social, or the e-mail address of the account.',
      kind: 'text',
      required: true,
    },
    {
      name: 'appPassword',
      label: 'App password',
      hint: 'Not your own password: make one in the settings of Bluesky, under Privacy and security, App passwords.',
      kind: 'secret',
      required: true,
    },
    {
      name: 'service',
      label: 'Service',
      hint: 'Only if your account is on another server: the address of that server.',
      kind: 'server',
      required: false,
    },
  ],
  alternative,
};

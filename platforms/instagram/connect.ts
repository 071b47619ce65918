/**
 * How a customer links a professional account: they agree in Facebook's dialog and choose an account of one of
 * their Pages.
 */
import { z } from 'zod';
import type { HostedConnect } from '../connect.ts';
import { ManagedPage, metaOauth } from '../meta/oauth.ts';

/** The credentials that POST /connections accepts. */
interface Credentials {
  userId: string;
  accessToken: string;
}

const PageWithAccount = ManagedPage.extend({
  instagram_business_account: z.object({ id: z.string(), username: z.string().optional() }).optional(),
});

export const hosted: HostedConnect<Credentials> = {
  fields: [],
  oauth: metaOauth({
    name: 'Instagram',
    scopes: ['instagram_basic', 'instagram_content_publish', 'pages_show_list', 'pages_read_engagement'],
    fields: 'instagram_business_account{id,username}',
    Page: PageWithAccount,
    accountOf: ({ name, access_token: accessToken, instagram_business_account: account }) =>
      account === undefined
        ? null
        : { label: account.username ?? name, credentials: { userId: account.id, accessToken } },
    nothing:
      'Instagram shows no professional account that you may post to and have allowed: it must be a business or creator account that belongs to one of your Pages.',
  }),
};

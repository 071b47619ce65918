/** How a customer links a Page: by Facebook's dialog, and a choice of their Pages. */
import type { HostedConnect } from '../hosted.ts';
import { ManagedPage, metaOauth } from '../meta-login.ts';

/** What POST /connections takes. */
interface Credentials {
  pageId: string;
  accessToken: string;
}

export const hosted: HostedConnect<Credentials> = {
  fields: [],
  oauth: metaOauth({
    name: 'Facebook',
    scopes: ['pages_show_list', 'pages_read_engagement', 'pages_manage_posts', 'pages_manage_engagement'],
    Page: ManagedPage,
    accountOf: ({ id, name, access_token: accessToken }) => ({ label: name, credentials: { pageId: id, accessToken } }),
    nothing: 'Facebook shows no Page that you may post to and have allowed.',
  }),
};

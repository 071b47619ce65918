/** How a customer links a Page: they agree in Facebook's dialog and choose one of their Pages. */
import type { HostedConnect } from '../connect.ts';
import { ManagedPage, metaOauth } from '../meta/oauth.ts';

/** The credentials that POST /connections accepts. */
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

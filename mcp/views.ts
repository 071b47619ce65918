/**
 * The views that a chat can show beside the answers of tools (docs/decisions/0109-show-answers-as-views-in-a-chat.md). A view
 * is a row here and a folder in console/app/chat.
 */

export interface ChatView {
  /** Name of its folder in console/app/chat, and the last part of its address. */
  readonly name: string;
  /** For people; also the title of its page. */
  readonly title: string;
  readonly description: string;
  /** Tools whose answers it shows. A tool has at most one view. */
  readonly tools: readonly string[];
  /** Tools that it calls itself. Hosts refuse it all others. */
  readonly calls: readonly string[];
}

export const CHAT_VIEWS: readonly ChatView[] = [
  {
    name: 'preview',
    title: 'Preview of a post',
    description:
      'Shows a post, a draft or a validated text as each platform displays it, with what a platform would refuse.',
    tools: ['validate_post', 'get_post', 'update_draft'],
    calls: ['list_connections'],
  },
  {
    name: 'result',
    title: 'Result of a post',
    description:
      'Shows what happened to a post on each connection: sent with its link, scheduled, a draft, or failed and why.',
    tools: ['create_post', 'publish_draft', 'retry_post'],
    calls: [],
  },
  {
    name: 'metrics',
    title: 'Metrics of a post',
    description: 'Shows the newest metrics of a post, and how they grew since it was sent.',
    tools: ['get_post_metrics'],
    calls: [],
  },
  {
    name: 'calendar',
    title: 'Calendar of a week',
    description: 'Shows the posts of a week by day, and the weeks before and after it.',
    tools: ['list_calendar'],
    calls: ['list_calendar'],
  },
  {
    name: 'approvals',
    title: 'Posts that wait for approval',
    description: 'Shows the posts that wait for a person: what, where, when, by whom and why, with the way to decide.',
    tools: ['list_approvals'],
    calls: [],
  },
];

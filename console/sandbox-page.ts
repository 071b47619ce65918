/** GET /sandbox/...: the public view of a sandbox account, as on any platform. Needs no key. */
import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../services/context.ts';
import {
  readTimeline,
  readTimelinePost,
  type TimelineEntry,
  type TimelineThread,
} from '../services/sandbox/read-timeline.ts';
import { type Html, html } from './html.ts';
import { POLICIES, sendPage } from './page.ts';

/** GET /sandbox/:accountId: its posts, newest first. */
export function timelinePage(context: Context): RequestHandler<{ accountId: string }> {
  return async (request, response) => {
    const { accountId } = request.params;
    const before = beforeOf(request);
    const timeline = await readTimeline(context, accountId, before);
    if (timeline === null)
      return sendAbsent(response, 404, 'Nothing here', 'There is no such timeline in the sandbox.');
    const { handle, posts, olderBefore } = timeline;
    sendPage(response, 200, POLICIES.static, {
      title: `${handle} - Carillon sandbox`,
      layout: 'timeline',
      main: html`
        ${heading(handle)}
        ${posts.length === 0 && html`<p class="panel">${before === undefined ? 'There are no posts here at present.' : 'There are no older posts.'}</p>`}
        ${posts.map((post) => thread(accountId, handle, post))}
        ${
          (before !== undefined || olderBefore !== null) &&
          html`<nav class="pager" aria-label="Pages of posts">
            ${before !== undefined && html`<a href="/sandbox/${accountId}">Newest</a>`}
            ${olderBefore !== null && html`<a rel="next" href="/sandbox/${accountId}?before=${olderBefore}">Older</a>`}
          </nav>`
        }
      `,
    });
  };
}

/** GET /sandbox/:accountId/:postId: one post, where its permalink leads. */
export function permalinkPage(context: Context): RequestHandler<{ accountId: string; postId: string }> {
  return async (request, response) => {
    const { accountId, postId } = request.params;
    const post = await readTimelinePost(context, accountId, postId);
    if (post === null) return sendAbsent(response, 404, 'Nothing here', 'There is no such post in the sandbox.');
    if (post.takenDown) return sendAbsent(response, 410, 'Taken down', 'This post stood here once and was taken down.');
    sendPage(response, 200, POLICIES.static, {
      title: `A post by ${post.handle} - Carillon sandbox`,
      layout: 'timeline',
      main: html`
        ${heading(post.handle)} ${thread(accountId, post.handle, post)}
        ${post.rootId !== null && html`<p><a href="/sandbox/${accountId}/${post.rootId}">The post that this replies to</a></p>`}
        <p><a href="/sandbox/${accountId}">All posts of this account</a></p>
      `,
    });
  };
}

// A repeated parameter is not a valid post id, so it finds nothing.
function beforeOf(request: Request<{ accountId: string }>): string | undefined {
  const { before } = request.query;
  return before === undefined ? undefined : String(before);
}

function heading(handle: string): Html {
  return html`
    <img class="bells" src="/assets/bells.svg" alt="" width="320" height="110" />
    <h1>@${handle}</h1>
    <p class="lead">An account in the sandbox: posts ring here and nowhere else.</p>
  `;
}

/** A post with its replies in order. */
function thread(accountId: string, handle: string, post: TimelineThread): Html {
  return html`
    ${article(accountId, handle, post)}
    ${
      post.replies.length > 0 &&
      html`<section class="replies" aria-label="Replies">
        ${post.replies.map((reply) => article(accountId, handle, reply))}
      </section>`
    }
  `;
}

function article(accountId: string, handle: string, post: TimelineEntry): Html {
  const { id, text, createdAt, altTexts } = post;
  const shown = `${createdAt.slice(0, 10)} ${createdAt.slice(11, 16)} UTC`;
  return html`
    <article class="panel post">
      <header>
        <img src="/assets/bell.svg" alt="" width="28" height="28" />
        <b>@${handle}</b>
        <a href="/sandbox/${accountId}/${id}"><time datetime="${createdAt}">${shown}</time></a>
      </header>
      <p class="post-text" dir="auto">${text}</p>
      ${altTexts.map((altText, index) => html`<img class="post-image" src="/sandbox/media/${id}/${index}" alt="${altText}" loading="lazy" />`)}
    </article>
  `;
}

function sendAbsent(response: Response, status: number, title: string, sentence: string): void {
  sendPage(response, status, POLICIES.static, {
    title: `${title} - Carillon sandbox`,
    layout: 'timeline',
    main: html`<section class="panel absent">
      <h1>${title}</h1>
      <p>${sentence}</p>
    </section>`,
  });
}

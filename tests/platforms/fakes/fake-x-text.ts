/** Texts on the fake X: their length, and their form in lists of posts. */

export interface FakePost {
  readonly id: string;
  readonly accountId: string;
  /** The source text. */
  readonly text: string;
  readonly parentId: string | null;
  readonly mediaIds: readonly string[];
  readonly createdAt: Date;
}

const LINK = /https?:\/\/[^\s,)]*[^\s,).]|\b[\w-]+\.(?:com|org)\b/g;

/** The text as X lists it: links are shortened, images have a link too, HTML characters are escaped. */
export function view({ id, text, parentId, mediaIds, createdAt }: FakePost) {
  const urls: object[] = [];
  const shortened = (more: object) => {
    urls.push({ url: `https://t.co/${id}${urls.length}`, ...more });
    return `https://t.co/${id}${urls.length - 1}`;
  };
  const linked = text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(LINK, (link) => {
      const typed = link.replace(/&amp;/g, '&');
      return shortened({ expanded_url: typed.startsWith('http') ? typed : `http://${typed}` });
    });
  const shown = mediaIds.length === 0 ? linked : `${linked} ${shortened({ media_key: `3_${mediaIds[0]}` })}`;
  return {
    id,
    text: shown,
    created_at: createdAt.toISOString(),
    ...(parentId !== null && { referenced_tweets: [{ type: 'replied_to', id: parentId }] }),
    ...(urls.length > 0 && { entities: { urls } }),
  };
}

/** Each link 23, each emoji 2, other code points 1 or 2 by their script. */
export function weightOf(text: string): number {
  const graphemes = [...new Intl.Segmenter().segment(text.normalize().replace(LINK, '-'.repeat(23)))];
  return graphemes.reduce((sum, { segment }) => {
    const first = segment.codePointAt(0) ?? 0;
    return sum + (first <= 0x10ff || (first >= 0x2010 && first <= 0x201f) ? 1 : 2);
  }, 0);
}

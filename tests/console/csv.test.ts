/** The files that Analytics exports. */
import { describe, expect, it } from 'vitest';
import { csvFiles } from '../../console/app/views/analytics/csv.ts';

const NONE = { posts: 1, impressions: null, likes: 2, reposts: 3, replies: 4, clicks: 5 };
const DAY = '2026-11-22';

function exported(tag: string): Record<string, string> {
  const files = csvFiles({
    totals: { ...NONE, readPosts: 1 },
    days: [{ day: DAY, ...NONE }],
    byPlatform: [{ platformId: 'sandbox', ...NONE }],
    byTag: [{ tag, ...NONE, readPosts: 1 }],
    bestTimes: {
      timezone: 'Europe/Paris',
      posts: 1,
      minPosts: 5,
      best: [],
      hours: [{ weekday: 1, hour: 9, posts: 1, medianReactions: 2.5 }],
      note: 'Too few posts',
    },
    from: DAY,
    to: DAY,
  });
  return Object.fromEntries(files.map(({ what, text }) => [what, text]));
}

describe('an export', () => {
  it('has a file for each table, with an empty cell for what was not reported', () => {
    const head = 'posts,impressions,likes,reposts,replies,clicks';

    expect(exported('news')).toEqual({
      days: `day,${head}\r\n${DAY},1,,2,3,4,5\r\n`,
      platforms: `platform,${head}\r\nsandbox,1,,2,3,4,5\r\n`,
      tags: `tag,${head}\r\nnews,1,,2,3,4,5\r\n`,
      times: 'weekday,hour,timezone,posts,medianReactions\r\n1,9,Europe/Paris,1,2.5\r\n',
    });
  });

  it.each([
    ['-1+2', "'-1+2"],
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['@sum', "'@sum"],
    ['\tx', "'\tx"],
    ['a,b', '"a,b"'],
  ])('writes %j so that a spreadsheet takes it for a text', (tag, cell) => {
    expect(exported(tag)['tags']?.split('\r\n')[1]).toBe(`${cell},1,,2,3,4,5`);
  });
});

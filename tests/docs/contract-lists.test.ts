/** Lists in the contract name exactly what the code has. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VIEW_PATHS } from '../../console/app/view-paths.ts';
import { ERROR_CODES, keepsDraft } from '../../errors/codes.ts';
import { Post, PostDetail } from '../../routers/schemas/post.ts';

/** What a part of a page names in code style. */
function namedIn(file: string, part: RegExp): string[] {
  const [, text = ''] = part.exec(readFileSync(`docs/contract/${file}`, 'utf8')) ?? [];
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '');
}

it('paths: the views of the console', () => {
  expect(namedIn('running.md', /^\| ([^|]+) \| views of the console/m)).toEqual(VIEW_PATHS);
});

it('posts: the fields of a post, and those of a single post besides', () => {
  const fields = namedIn('posts.md', /^## Fields\n([^]*?)\. `text` is/m);
  const further = namedIn('posts.md', /also returns the input of the caller and its outcome: ([^]*?)\. The list/);

  expect(fields).toEqual(Object.keys(Post.shape));
  expect([...fields, ...further].toSorted()).toEqual(Object.keys(PostDetail.shape).toSorted());
});

it('posts: the refusals that leave a draft a draft', () => {
  const named = namedIn('posts.md', /the status `draft`:\n([^]*?)\. Any other/);

  expect(named.toSorted()).toEqual(ERROR_CODES.filter(keepsDraft).toSorted());
});

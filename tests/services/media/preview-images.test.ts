/** What a send would do to images, on platforms with different limits. */
import { expect, it } from 'vitest';
import { bluesky } from '../../../platforms/bluesky/index.ts';
import { instagram } from '../../../platforms/instagram/index.ts';
import { mastodon } from '../../../platforms/mastodon/index.ts';
import { sms } from '../../../platforms/sms/index.ts';
import { telegram } from '../../../platforms/telegram/index.ts';
import { x } from '../../../platforms/x/index.ts';
import { previewImages } from '../../../services/media/preview-images.ts';
import type { CheckedMedia } from '../../../services/media/check-media.ts';

const image = (fields: Partial<CheckedMedia>): CheckedMedia => ({
  id: 'one',
  altText: null,
  uploadedAltText: null,
  contentType: 'image/png',
  sizeBytes: 1_000,
  width: 1_000,
  height: 1_000,
  ...fields,
});

it.each([
  [instagram, image({}), { changes: ['converted'] }],
  [instagram, image({ contentType: 'image/gif' }), { changes: ['converted', 'still'] }],
  [mastodon, image({ contentType: 'image/gif', width: 900, height: 900 }), { changes: [] }],
  [mastodon, image({ contentType: 'image/gif' }), { changes: ['converted', 'still'] }],
  [
    mastodon,
    image({ contentType: 'image/gif', width: 6_000, height: 6_000 }),
    { changes: ['resized', 'converted', 'still'] },
  ],
  [x, image({ contentType: 'image/gif', sizeBytes: 8_000_000 }), { changes: ['converted', 'still', 'compressed'] }],
  [x, image({ width: 8_192, height: 8_192 }), { changes: [] }],
  [x, image({ width: 8_193, height: 8_193 }), { changes: ['resized'], width: 8_192, height: 8_192 }],
  [telegram, image({ contentType: 'image/gif', altText: 'A bell' }), { changes: ['altTextDropped'] }],
  [telegram, image({ width: 20_000, height: 1_000 }), { changes: ['resized'], width: 5_000, height: 250 }],
  [bluesky, image({ sizeBytes: 2_000_001 }), { changes: ['compressed'] }],
  [x, image({ uploadedAltText: 'x'.repeat(1_000) }), { changes: [] }],
] as const)('$0.id: $1', (platform, upload, expected) => {
  expect(previewImages(platform, null, [upload])).toMatchObject([{ id: 'one', ...expected }]);
});

it('names the image whose ratio is refused, and only that', () => {
  const previews = previewImages(instagram, null, [image({}), image({ id: 'two', width: 3_000 })]);

  expect(previews.map(({ reason }) => reason === undefined)).toEqual([true, false]);
  expect(previews[1]?.reason).toContain('Image 2 is 3000 by 1000 pixels');
});

it('names the ratio that Telegram refuses', () => {
  const [kept, refused] = [image({ width: 2_000, height: 100 }), image({ width: 2_001, height: 100 })].map(
    (one) => previewImages(telegram, null, [one])[0]?.reason,
  );

  expect(kept).toBeUndefined();
  expect(refused).toContain('takes ratios from 1:20 to 20:1');
});

it('shows nothing where the platform takes no images', () => {
  expect(previewImages(sms, null, [image({})])).toEqual([]);
});

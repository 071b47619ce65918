/** The Instagram part of the Graph API: professional accounts, posts with images, and the login through Facebook. */
import { type FakeContainers, type FakeContainersOptions, startFakeContainers } from './fake-containers.ts';
import { createFacebookLogin, type FacebookLogin } from './fake-facebook-login.ts';

export interface FakeInstagram extends FakeContainers {
  /** The login of users. */
  readonly login: FacebookLogin;
}

const CAPTION_MAX = 2_200;

export async function startFakeInstagram(options: FakeContainersOptions): Promise<FakeInstagram> {
  const login = createFacebookLogin();
  const fake = await startFakeContainers(options, {
    root: '/v26.0',
    edges: { posts: 'media', publish: 'media_publish', limit: 'content_publishing_limit' },
    text: 'caption',
    state: { field: 'status_code', problem: 'status' },
    website: 'https://www.instagram.com/p',
    imagesMax: 10,
    imageTypes: ['image/jpeg'],
    ratio: [0.8, 1.91],
    problemOf: (fields) => {
      if (!fields.has('image_url') && fields.get('media_type') !== 'CAROUSEL') {
        return { code: 100, message: '(#100) The parameter image_url is required' };
      }
      if ([...(fields.get('caption') ?? '')].length <= CAPTION_MAX) return null;
      return { code: 36_004, error_subcode: 2_207_010, message: 'The caption was too long.' };
    },
    elsewhere: (call) => login.answer(call.path, call),
  });
  return { ...fake, login };
}

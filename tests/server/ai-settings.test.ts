/** The settings of AI polish: an endpoint and a model together, an optional key, and never a key in a message. */
import { expect, it } from 'vitest';
import { readConfig } from '../../server/config.ts';

const MODEL = { AI_MODEL: 'bell-1' };

it.each([
  [{}, null],
  [
    { AI_BASE_URL: 'https://api.openai.com/v1', AI_API_KEY: 'sk-1', ...MODEL },
    { baseUrl: 'https://api.openai.com/v1', apiKey: 'sk-1', model: 'bell-1', seesImages: false },
  ],
  [
    { AI_BASE_URL: 'http://127.0.0.1:11434/v1/', ...MODEL },
    { baseUrl: 'http://127.0.0.1:11434/v1', apiKey: undefined, model: 'bell-1', seesImages: false },
  ],
  [
    { AI_BASE_URL: 'https://api.openai.com/v1', AI_SEES_IMAGES: 'true', ...MODEL },
    { baseUrl: 'https://api.openai.com/v1', apiKey: undefined, model: 'bell-1', seesImages: true },
  ],
  [
    { AI_BASE_URL: 'http://models.bells.example', ...MODEL },
    { baseUrl: 'http://models.bells.example', apiKey: undefined, model: 'bell-1', seesImages: false },
  ],
])('%j gives %j', (env, polish) => {
  expect(readConfig(env).polish).toEqual(polish);
});

const WRONG_URL =
  'AI_BASE_URL: must be an address such as https://api.openai.com/v1, without a query; the key goes into AI_API_KEY';

it.each([
  [{ AI_BASE_URL: 'https://api.openai.com/v1' }, 'AI_BASE_URL: is set together with AI_MODEL'],
  [MODEL, 'AI_BASE_URL: is set together with AI_MODEL'],
  [{ AI_SEES_IMAGES: 'true' }, 'AI_SEES_IMAGES: is used only with AI_BASE_URL and AI_MODEL'],
  [{ AI_API_KEY: 'sk-1' }, 'AI_API_KEY: is used only with AI_BASE_URL and AI_MODEL'],
  [
    { AI_BASE_URL: 'https://api.openai.com/v1', AI_API_KEY: 'sk-1\nx-other: 1', ...MODEL },
    'AI_API_KEY: must be printable ASCII without spaces',
  ],
  [{ AI_BASE_URL: 'api.openai.com', ...MODEL }, WRONG_URL],
  [{ AI_BASE_URL: 'ftp://api.openai.com', ...MODEL }, WRONG_URL],
  [{ AI_BASE_URL: 'https://key@api.openai.com', ...MODEL }, WRONG_URL],
  [{ AI_BASE_URL: 'https://api.openai.com/v1?key=sk-1', ...MODEL }, WRONG_URL],
  [{ AI_BASE_ULR: 'https://api.openai.com/v1' }, 'AI_BASE_ULR: is not a setting; did you mean AI_BASE_URL?'],
])('%j is refused', (env, message) => {
  expect(() => readConfig(env)).toThrow(message);
});

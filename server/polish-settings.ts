/** The settings of AI polish: the endpoint, its key, the model, and whether it sees images. */
import { z } from 'zod';
import { parseAiBaseUrl } from './ai-base-url.ts';
import { settingFacts as facts } from './setting.ts';
import { readBy } from './setting-values.ts';

export const Polish = z.object({
  AI_BASE_URL: readBy(parseAiBaseUrl).optional().register(facts, {
    type: 'URL',
    meaning:
      'OpenAI-compatible endpoint for [AI polish](guide/ai-polish.md), with the path of its API: `https://api.openai.com/v1`. `OUTBOUND_ALLOW` must permit one in your own network or on this machine. Unset: polish is off.',
  }),
  AI_API_KEY: z
    .string()
    .regex(/^[!-~]+$/, 'must be printable ASCII without spaces')
    .optional()
    .register(facts, {
      type: 'secret',
      range: 'printable ASCII without spaces',
      meaning: 'API key for that endpoint. Unset: none is sent.',
    }),
  AI_MODEL: z.string().min(1).optional().register(facts, {
    type: 'text',
    meaning: 'Model that polishes. Set together with the URL.',
  }),
  AI_SEES_IMAGES: z.enum(['true', 'false']).optional().register(facts, {
    type: 'true or false',
    meaning:
      'Whether that model takes images: `true` lets it [propose alt text](guide/ai-polish.md#propose-alt-text). Unset: it does not.',
  }),
});

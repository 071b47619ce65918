/** `voice show` and `voice set`: how AI polish words the texts of a profile. They need a key of the whole account. */
import { type Answer, type Call, type CommandSpec, valuesOf } from './command.ts';
import { clientOf } from './signed-in.ts';
import { plainLine } from './terminal-text.ts';

export const VOICE_COMMANDS: readonly CommandSpec[] = [
  { name: 'voice show', summary: 'Show the brand voice of a profile.', operands: ['<profile id>'], run: show },
  {
    name: 'voice set',
    summary: 'Replace the brand voice of a profile. Without options, it has none.',
    operands: ['<profile id>'],
    options: [
      { flags: '--rule <text>', text: 'A rule of style; up to 10.', isRepeated: true },
      { flags: '--example <text>', text: 'A text that sounds right; up to 5.', isRepeated: true },
      { flags: '--ban <phrase>', text: 'A word or phrase that no rewrite has; up to 20.', isRepeated: true },
    ],
    run: set,
  },
];

async function show(call: Call): Promise<Answer> {
  const [profileId = ''] = call.operands;
  return answerOf(await (await clientOf(call.io)).profiles.voice.query({ profileId }));
}

async function set(call: Call): Promise<Answer> {
  const [profileId = ''] = call.operands;
  const [rules, examples, bannedPhrases] = [valuesOf(call, 'rule'), valuesOf(call, 'example'), valuesOf(call, 'ban')];
  const client = await clientOf(call.io);
  return answerOf(await client.profiles.setVoice.mutate({ profileId, rules, examples, bannedPhrases }));
}

type Voice = Awaited<ReturnType<Awaited<ReturnType<typeof clientOf>>['profiles']['voice']['query']>>;

function answerOf(body: Voice): Answer {
  const { rules, examples, bannedPhrases } = body.voice;
  const lists = [
    ['Rules', rules],
    ['Examples', examples],
    ['Banned phrases', bannedPhrases],
  ] as const;
  const parts = lists.filter(([, items]) => items.length > 0);
  if (parts.length === 0) return { body, text: 'The profile has no brand voice.\n' };
  return {
    body,
    text: parts.map(([name, items]) => `${name}:\n${items.map((item) => `  ${plainLine(item)}\n`).join('')}`).join(''),
  };
}

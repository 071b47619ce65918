/** `post` and `thread`: write a post, with one idempotency key for all tries of a run. */
import { readFile } from 'node:fs/promises';
import { type Answer, type Call, type CommandSpec, hasFlag, type OptionSpec, valueOf, valuesOf } from './command.ts';
import { decoded } from './decoded.ts';
import { CommandError } from './failure.ts';
import { UsageError } from './operator-client.ts';
import { answerOfResults } from './post-results.ts';
import { sendPost } from './send-post.ts';
import { type Client, clientOf } from './signed-in.ts';
import { checkAltTexts, readImages, uploadImages } from './upload-image.ts';
import { WHEN_OPTIONS, whenOf } from './when-options.ts';

const POST_OPTIONS: readonly OptionSpec[] = [
  { flags: '--to <slug>', text: 'Connection to post to, by its slug. Repeat it for several.', isRepeated: true },
  {
    flags: '--image <file>',
    text: 'Image of the post: PNG, JPEG, GIF or WebP. Repeat it for several.',
    isRepeated: true,
  },
  { flags: '--alt <text>', text: 'What the image shows. The first is for the first image.', isRepeated: true },
  { flags: '--draft', text: 'Store a draft for each connection, and publish nothing.' },
  ...WHEN_OPTIONS,
  { flags: '--tag <tag>', text: 'Tag of the post. Repeat it for several.', isRepeated: true },
  { flags: '--profile <id>', text: 'Profile that the connections belong to.' },
];

export const POST_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'post',
    summary: 'Publish a text now, at a time, in the queue or as a draft.',
    operands: ['[text]'],
    options: [
      {
        flags: '--file <file>',
        text: 'Read the text from a file; - is standard input, which is also read without a text.',
      },
      { flags: '--first-comment <text>', text: 'Comment below the post, where the platform has first comments.' },
      ...POST_OPTIONS,
    ],
    run: async (call) => {
      const text = await textOf(call);
      const firstComment = valueOf(call, 'first-comment');
      return publish(call, { text, ...(firstComment === undefined ? {} : { firstComment }) });
    },
  },
  {
    name: 'thread',
    summary: 'Publish a post with replies below it. Images belong to the post.',
    operands: ['<text...>'],
    options: POST_OPTIONS,
    run: (call) => {
      const [text = '', ...thread] = call.rest;
      return publish(call, { text, thread });
    },
  },
];

type Words = Pick<Parameters<Client['posts']['create']['mutate']>[0], 'firstComment' | 'text' | 'thread'>;

async function publish(call: Call, words: Words): Promise<Answer> {
  const { io } = call;
  const [connectionSlugs, files, altTexts] = [valuesOf(call, 'to'), valuesOf(call, 'image'), valuesOf(call, 'alt')];
  if (connectionSlugs.length === 0)
    throw new UsageError('Name a connection with --to. List them with: carillon connections');
  checkAltTexts(files, altTexts);
  const [when, tags, profileId, isDraft] = [
    whenOf(call),
    valuesOf(call, 'tag'),
    valueOf(call, 'profile'),
    hasFlag(call, 'draft'),
  ];
  const images = await readImages(files);
  const client = await clientOf(io);
  const mediaIds: string[] = [];
  for await (const { id } of uploadImages(call, client, images, altTexts)) mediaIds.push(id);
  const input = {
    ...words,
    connectionSlugs,
    ...when,
    ...(mediaIds.length === 0 ? {} : { mediaIds }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(profileId === undefined ? {} : { profileId }),
    ...(isDraft ? { isDraft } : {}),
    idempotencyKey: io.random.uuid(),
  };
  const body = await sendPost(call, () => client.posts.create.mutate(input));
  return answerOfResults(call, body, body.results);
}

async function textOf(call: Call): Promise<string> {
  const [text] = call.operands;
  const file = valueOf(call, 'file');
  if (text !== undefined && file !== undefined) throw new UsageError('Give the text or --file, not both.');
  if (text !== undefined) return text;
  if (file !== undefined && file !== '-') {
    const bytes = await readFile(file).catch((error: Error) => {
      throw new CommandError('failed', `${file} cannot be read (${error.message}).`);
    });
    return decoded(bytes, file);
  }
  if (file === undefined && call.io.stdin.isTTY)
    throw new UsageError('Give a text, --file, or text on standard input.');
  const read = await call.io.stdin.read();
  if (read.trim() === '') throw new UsageError('Standard input holds no text.');
  return read;
}

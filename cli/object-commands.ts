/** `media upload`, `media list` and `media describe`. */
import { type Answer, type Call, type CommandSpec, hasFlag, valueOf, valuesOf } from './command.ts';
import { PartialError } from './failure.ts';
import { type Client, clientOf } from './signed-in.ts';
import { painter, plainLine, table } from './terminal-text.ts';
import { moreText, PAGE_OPTIONS, pageOf } from './posts-commands.ts';
import { checkAltTexts, readImages, uploadImages } from './upload-image.ts';

export const OBJECT_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'media upload',
    summary: 'Upload images, and print their ids.',
    operands: ['<file...>'],
    options: [
      { flags: '--alt <text>', text: 'What the image shows. The first is for the first file.', isRepeated: true },
    ],
    run: upload,
  },
  {
    name: 'media list',
    summary: 'List uploaded images, newest first.',
    options: [{ flags: '--unused', text: 'Only images that no post names.' }, ...PAGE_OPTIONS],
    run: listMedia,
  },
  {
    name: 'media describe',
    summary: 'Propose alt text for an image, if the install has a model that sees. Nothing is stored.',
    operands: ['<image id>'],
    options: [{ flags: '--language <tag>', text: 'BCP 47 tag, such as de; en when left out.' }],
    run: describe,
  },
];

type Image = Awaited<ReturnType<Client['media']['upload']['mutate']>>['media'];

async function upload(call: Call): Promise<Answer> {
  const altTexts = valuesOf(call, 'alt');
  checkAltTexts(call.rest, altTexts);
  const images = await readImages(call.rest);
  const media: Image[] = [];
  try {
    for await (const image of uploadImages(call, await clientOf(call.io), images, altTexts)) {
      const file = images[media.push(image) - 1]?.file ?? '';
      // At once, because a later file may fail, and another upload of this one would be another image.
      if (!call.isJson) call.print(`${image.id}  ${file}`);
    }
  } catch (error) {
    throw media.length === 0 ? error : new PartialError(error, { media });
  }
  return { body: { media }, text: '' };
}

async function describe(call: Call): Promise<Answer> {
  const [mediaId = ''] = call.operands;
  const language = valueOf(call, 'language');
  const client = await clientOf(call.io);
  const body = await client.media.proposeAltText.mutate({ mediaId, ...(language !== undefined && { language }) });
  if (body.altText !== null) return { body, text: `${plainLine(body.altText)}\n` };
  return { body, text: `There is no proposal: ${body.reason}\n`, exitCode: 3 };
}

async function listMedia(call: Call): Promise<Answer> {
  const { io } = call;
  const unused = hasFlag(call, 'unused') ? { unused: true } : {};
  const body = await (await clientOf(io)).media.list.query({ ...unused, ...pageOf(call) });
  const rows = body.media.map((image) => [
    image.id,
    image.contentType,
    `${image.width}x${image.height}`,
    String(image.sizeBytes),
    image.createdAt,
    image.altText ?? '',
  ]);
  const headings = ['ID', 'TYPE', 'PIXELS', 'BYTES', 'UPLOADED', 'SHOWS'];
  return { body, text: table(io.stdout, painter(io.stdout, io.env), headings, rows) + moreText(body.nextCursor) };
}

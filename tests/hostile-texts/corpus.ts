/** Reads the corpus: texts that ask a model to misbehave, and how a model that obeys them answers (README.md). */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';

/** What the model answers: a text, in which {boundary}, {style} and {instructions} are replaced, or a choice. */
const Answer = z.union([z.string(), z.strictObject({ message: z.looseObject({}), finish_reason: z.string() })]);

const ImageFinding = z.strictObject({
  name: z.string().min(1),
  answer: Answer,
  /** Why nothing comes out; null when the answer is harmless. */
  reason: z.string().nullable(),
});

const TextFinding = ImageFinding.extend({
  text: z.string().min(1),
  voice: z
    .strictObject({ rules: z.array(z.string()), examples: z.array(z.string()), bannedPhrases: z.array(z.string()) })
    .optional(),
});

export type TextFinding = z.infer<typeof TextFinding>;

const IMAGES = 'images.json';

const read = (file: string): unknown => JSON.parse(readFileSync(path.join(import.meta.dirname, file), 'utf8'));

/** Findings in texts, by file. */
export const TEXT_FINDINGS = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.json') && file !== IMAGES)
  .toSorted()
  .map((file) => ({ file, findings: z.array(TextFinding).min(1).parse(read(file)) }));

/** Findings in images. */
export const IMAGE_FINDINGS = z.array(ImageFinding).min(1).parse(read(IMAGES));

export type FindingAnswer = z.infer<typeof Answer>;

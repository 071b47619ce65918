/**
 * The process that decodes and encodes images. server/image-process.ts starts it and sends one job at a time. It parses
 * untrusted bytes with native code, so it receives no settings, no secret and no database.
 */
import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { ServiceError } from '../errors/service-error.ts';
import { convertImage } from '../services/images/convert-image.ts';
import type { ImageAnswer, ImageJob } from '../services/images/image-job.ts';
import { inspectImage } from '../services/images/inspect-image.ts';

// Every image is decoded once or twice and never again.
sharp.cache(false);

// A system that is short of memory ends this process, not the server. Other systems than Linux have no such file.
try {
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // The server is as likely to be ended then.
}

// A terminal or a service manager signals all processes; only the parent process decides when this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

// The channel closes whenever the server ends. An ordinary exit would wait for the decoder.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));

process.on('message', (job: ImageJob) => {
  void answer(job).then((result) => process.send?.(result));
});

process.send?.('ready');

async function answer(job: ImageJob): Promise<ImageAnswer> {
  const { bytes, type } = job;
  try {
    if (job.kind === 'convert') return { kind: 'converted', image: await convertImage(bytes, type, job.facts) };
    const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { kind: 'size', size: await inspectImage(file, type) };
  } catch (error) {
    if (error instanceof ServiceError) return { kind: 'mismatch', message: error.message };
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

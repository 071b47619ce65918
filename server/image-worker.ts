/**
 * The process in which images are decoded and encoded: started by server/image-process.ts, one job at a time. It parses
 * bytes of strangers with native code, so it is given no settings, no secret and no database.
 */
import sharp from 'sharp';
import { ServiceError } from '../errors/service-error.ts';
import { convertImage } from '../services/media/convert-image.ts';
import type { ImageAnswer, ImageJob } from '../services/media/image-job.ts';
import { inspectImage } from '../services/media/inspect-image.ts';

// Every image is decoded once or twice and never again.
sharp.cache(false);

// A terminal and a service manager signal all processes; the one that started this one decides when it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

// Whatever ended the server closed the channel. An ordinary exit would wait for the decoder.
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

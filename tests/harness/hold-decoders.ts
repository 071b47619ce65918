/** Holds the decoders of a world's images, so that tests see what waits for one. */
import { createImageProcesses } from '../../server/image-processes.ts';
import { createImageWork } from '../../services/images/image-work.ts';
import type { ImageJob } from '../../services/images/image-job.ts';
import type { World } from './world.ts';

/** Jobs that decoders have begun since {@link holdDecoders}, in order. */
interface HeldDecoders {
  readonly begun: readonly ImageJob[];
  release(): void;
}

/** No decoder ends a job until the release. Earlier work of the world is not affected. */
export function holdDecoders({ context, clock }: World): HeldDecoders {
  const begun: ImageJob[] = [];
  const held = Promise.withResolvers<void>();
  const processes = createImageProcesses(clock);
  const { close } = context.images;
  const work = createImageWork({
    ...processes,
    run: async (job, signal) => {
      begun.push(job);
      await held.promise;
      return processes.run(job, signal);
    },
  });
  const closeAll = () => {
    close();
    processes.close();
  };
  Object.assign(context.images, work, { close: closeAll });
  return { begun, release: () => held.resolve() };
}

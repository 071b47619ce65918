/** Downloads an export. A refusal shows in words, instead of as a file that failed. */
import { useMutation } from '@tanstack/react-query';
import { ResultFailure } from '../../data/problem.ts';
import type { Session } from '../../data/session.ts';
import { useSession } from '../../shell/session-context.ts';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import { Download } from '../../ui/icons.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { saveAddress, saveFile } from '../../ui/save-file.ts';
import type { Format } from './exports.ts';

export interface DownloadButtonProps extends Pick<ButtonProps, 'look'> {
  readonly kind: string;
  readonly format: Format;
  readonly label: string;
  /** What the label does not say. */
  readonly describes?: string;
}

export function DownloadButton({ kind, format, label, describes, ...props }: DownloadButtonProps) {
  const session = useSession();
  const download = useMutation({ mutationFn: () => load(session, kind, format) });
  return (
    <div>
      <Button
        {...props}
        {...(describes !== undefined && { 'aria-label': `${label}: ${describes}` })}
        isPending={download.isPending}
        onPress={() => download.mutate()}
      >
        <Download aria-hidden size={18} /> {label}
      </Button>
      {download.error !== null && <ProblemView failure={download.error} />}
    </div>
  );
}

async function load(session: Session, kind: string, format: Format): Promise<void> {
  const query = `${kind}?format=${format}`;
  if (session.kind === 'person') {
    const address = `/owner/exports/${query}`;
    // The browser writes the answer to the disk as it comes, so it is asked beforehand whether there will be one.
    await answerOf(address, { method: 'HEAD' });
    return saveAddress(address);
  }
  // A link cannot send a key, so the file is read here first.
  const answer = await answerOf(`/api/v2/exports/${query}`, {
    headers: { 'x-api-key': session.key },
    credentials: 'omit',
  });
  saveFile(await answer.blob(), `carillon-${kind}.${kind === 'archive' ? 'zip' : format}`);
}

/** @throws ResultFailure for a refusal, in the words of the service */
async function answerOf(address: string, init: RequestInit): Promise<Response> {
  const answer = await fetch(address, { ...init, cache: 'no-store' });
  if (answer.ok) return answer;
  // The answer to HEAD has no body.
  const refusal = init.method === 'HEAD' ? await fetch(address, { cache: 'no-store' }) : answer;
  const { error = 'internal_server_error', message } = refusal.ok ? {} : ((await refusal.json()) as RefusalBody);
  await refusal.body?.cancel().catch(() => undefined);
  throw new ResultFailure({ code: error, message: message ?? 'The export could not begin. Try again in a minute.' });
}

interface RefusalBody {
  readonly error?: string;
  readonly message?: string;
}

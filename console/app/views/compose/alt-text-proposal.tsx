/** Asks the model of the service what an image shows. A person reads the proposal before it becomes the alt text. */
import { useMutation } from '@tanstack/react-query';
import { useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { Sparkles } from '../../ui/icons.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';

export interface AltTextProposalProps {
  readonly mediaId: string;
  /** In words, such as `image 1`. */
  readonly what: string;
  onUse(altText: string): void;
}

export function AltTextProposal({ mediaId, what, onUse }: AltTextProposalProps) {
  const ask = useMutation(useTRPC().media.proposeAltText.mutationOptions());
  const { data, error } = ask;
  const altText = data?.altText ?? null;
  return (
    <>
      <Button
        look="quiet"
        aria-label={`Propose alt text for ${what}`}
        isPending={ask.isPending}
        onPress={() => ask.mutate({ mediaId, language: navigator.language })}
      >
        <Sparkles aria-hidden size={16} /> Propose alt text
      </Button>
      {error !== null && <ProblemView failure={error} />}
      {data?.status === 'failed' && (
        <p className="problem" role="alert">
          {data.reason}
        </p>
      )}
      {altText !== null && (
        <section aria-label={`Proposed alt text of ${what}`}>
          <p className="soft">A model proposes:</p>
          <p dir="auto">{altText}</p>
          <div className="actions">
            <Button
              aria-label={`Use it as alt text of ${what}`}
              onPress={() => {
                onUse(altText);
                ask.reset();
              }}
            >
              Use it
            </Button>
            <Button look="quiet" aria-label={`Dismiss the proposed alt text of ${what}`} onPress={() => ask.reset()}>
              Dismiss
            </Button>
          </div>
        </section>
      )}
    </>
  );
}

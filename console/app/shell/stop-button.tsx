/** Stops everything of a key or an agent with one press, beside its name. */
import { useMutation } from '@tanstack/react-query';
import { useRefreshStops } from '../data/stops.ts';
import { type Inputs, useTRPC } from '../data/trpc.ts';
import { Button } from '../ui/button.tsx';
import { ProblemView } from '../ui/problem-view.tsx';
import { toast } from '../ui/toasts.tsx';
import { Allowed } from './rights.tsx';

export interface StopButtonProps {
  readonly name: string;
  /** What is stopped. */
  readonly target: Inputs['stops']['start'];
}

export function StopButton({ name, target }: StopButtonProps) {
  const trpc = useTRPC();
  const onSettled = useRefreshStops();
  const releasing = useMutation(
    trpc.stops.release.mutationOptions({ onSuccess: () => toast(`${name} may send again.`), onSettled }),
  );
  const stopping = useMutation(
    trpc.stops.start.mutationOptions({
      onSuccess: ({ stop }) =>
        toast(`${name} is stopped, and ${stop.held} scheduled ${stop.held === 1 ? 'post is' : 'posts are'} held.`, () =>
          releasing.mutate({ stopId: stop.id, posts: 'send' }),
        ),
      onSettled,
    }),
  );
  const error = stopping.error ?? releasing.error;
  return (
    <Allowed to="owner">
      <Button aria-label={`Stop ${name}`} isPending={stopping.isPending} onPress={() => stopping.mutate(target)}>
        Stop
      </Button>
      {error !== null && <ProblemView failure={error} />}
    </Allowed>
  );
}

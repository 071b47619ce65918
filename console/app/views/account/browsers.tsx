/** The browsers in which the person is signed in; others can be signed out. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { toast } from '../../ui/toasts.tsx';

type SignIn = Outputs['people']['listSignIns']['signIns'][number];

export function Browsers() {
  const query = useQuery(useTRPC().people.listSignIns.queryOptions({}));
  return (
    <QueryView what="the browsers" query={query}>
      {({ signIns }) => (
        <ul className="rows" aria-label="Browsers, newest first">
          {signIns.map((signIn) => (
            <BrowserRow key={signIn.id} signIn={signIn} />
          ))}
        </ul>
      )}
    </QueryView>
  );
}

function BrowserRow({ signIn: { id, userAgent, createdAt, lastSeenAt, isCurrent } }: { signIn: SignIn }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const ending = useMutation(
    trpc.people.endSignIn.mutationOptions({
      onSuccess: () => toast('That browser is signed out.'),
      onSettled: () => void queryClient.invalidateQueries(trpc.people.pathFilter()),
    }),
  );
  const name = userAgent === '' ? 'A browser that does not say what it is' : userAgent;
  return (
    <li className="row-with-action">
      <div>
        <p className="browser-name" dir="auto">
          {name}
        </p>
        <p className="hint">
          {isCurrent && 'This browser. '}
          Since <QuietMoment at={createdAt} />, last seen <QuietMoment at={lastSeenAt} />.
        </p>
        {ending.error !== null && <ProblemView failure={ending.error} />}
      </div>
      {!isCurrent && (
        <Button
          aria-label={`Sign out there: ${name}`}
          isPending={ending.isPending}
          onPress={() => ending.mutate({ signInId: id })}
        >
          Sign out there
        </Button>
      )}
    </li>
  );
}

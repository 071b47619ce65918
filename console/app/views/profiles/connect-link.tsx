/** A link with which the customer connects an account without a sign-in here, and how far the customer has come. */
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { usePlatforms } from '../../data/connections.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { TextField } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { LinkState } from './link-state.tsx';

const route = getRouteApi('/profiles/$profileId');

/** A choice cannot have an empty value. */
const ANY = '*';

/** Where the customer goes in the end is mostly the same page. */
const RETURN_KEY = 'carillon.connect-return';

export function ConnectLink({ profileId }: { profileId: string }) {
  const { link } = route.useSearch();
  const navigate = useNavigate();
  const [made, setMade] = useState<Outputs['connect']['create'] | null>(null);
  const follow = (answer: Outputs['connect']['create']) => {
    setMade(answer);
    void navigate({
      to: '/profiles/$profileId',
      params: { profileId },
      search: { link: answer.connectSessionId },
      replace: true,
      resetScroll: false,
    });
  };
  return (
    <Panel title="Link for the customer">
      <p className="hint">
        With the link the customer connects an account into this profile, without an API key, and you never see the
        login. It works once and for fifteen minutes.
      </p>
      {made !== null && made.connectSessionId === link && (
        <CopyField
          key={made.connectSessionId}
          label="Link"
          value={made.url}
          hint="It is shown this once. Send it to the customer only."
        />
      )}
      {link !== undefined && <LinkState connectSessionId={link} />}
      <LinkForm profileId={profileId} onMade={follow} />
    </Panel>
  );
}

function LinkForm({ profileId, onMade }: { profileId: string; onMade(answer: Outputs['connect']['create']): void }) {
  const offered = usePlatforms().data?.platforms.filter(({ connect }) => connect.includes('page')) ?? [];
  const [platform, setPlatform] = useState(ANY);
  const [redirectUrl, setRedirectUrl] = useState(() => localStorage.getItem(RETURN_KEY) ?? '');
  const making = useMutation(
    useTRPC().connect.create.mutationOptions({
      onSuccess: (answer) => {
        localStorage.setItem(RETURN_KEY, redirectUrl.trim());
        onMade(answer);
      },
    }),
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    making.mutate({
      profileId,
      redirectUrl: redirectUrl.trim(),
      ...(platform !== ANY && { platform }),
    });
  };
  return (
    <form onSubmit={submit}>
      <RadioChoice
        label="Platform"
        value={platform}
        choices={[
          { value: ANY, label: 'The customer chooses' },
          ...offered.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={setPlatform}
      />
      <TextField
        label="Where the customer goes in the end"
        type="url"
        isRequired
        autoComplete="off"
        hint="A page of yours, such as https://app.example.com/connected. This browser remembers it."
        value={redirectUrl}
        onChange={setRedirectUrl}
      />
      <Button look="primary" type="submit" isPending={making.isPending}>
        Make a link
      </Button>
      {making.error !== null && <ProblemView failure={making.error} />}
    </form>
  );
}

/** Links an account with a login that the person holds: the fields that its platform asks for. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import type { ConnectFields } from '../../../connect-fields.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { toast } from '../../ui/toasts.tsx';

/** Types of the input elements. */
const INPUT_TYPES = { text: 'text', secret: 'password', server: 'url' } as const;

/** The service writes them from the schemas of its platforms; they change only when it is upgraded. */
async function readFields(): Promise<readonly ConnectFields[]> {
  const response = await fetch('/assets/connect-fields.json');
  if (!response.ok) throw new Error(`The fields of the platforms could not be read: HTTP ${response.status}.`);
  return (await response.json()) as readonly ConnectFields[];
}

export interface CredentialsFormProps {
  readonly platformId: string;
  /** Undefined for own accounts. */
  readonly profileId: string | undefined;
}

export function CredentialsForm(props: CredentialsFormProps) {
  const query = useQuery({ queryKey: ['connect-fields'], queryFn: readFields, staleTime: Infinity });
  return (
    <QueryView what="the fields" query={query}>
      {(platforms) => {
        const platform = platforms.find(({ platformId }) => platformId === props.platformId);
        return platform === undefined ? (
          <p>This install takes no login of this platform.</p>
        ) : (
          <Form platform={platform} {...props} />
        );
      }}
    </QueryView>
  );
}

function Form({ platform, platformId, profileId }: CredentialsFormProps & { platform: ConnectFields }) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const connecting = useMutation(
    trpc.connections.connect.mutationOptions({
      onSuccess: async ({ connection }) => {
        toast(`${connection.slug} is connected.`);
        await navigate({ to: '/connections/$connectionId', params: { connectionId: connection.id } });
      },
      onSettled: () => queryClient.invalidateQueries(trpc.connections.pathFilter()),
    }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const typed = (name: string) => {
      const value = form.get(name);
      return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
    };
    const entries = platform.fields.map(({ name }) => [name, typed(name)] as const);
    const credentials = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    const slug = typed('slug');
    connecting.mutate({
      platformId,
      credentials,
      ...(slug !== undefined && { slug }),
      ...(profileId !== undefined && { profileId }),
    });
  };
  return (
    <form onSubmit={submit}>
      {platform.fields.length === 0 && <p className="hint">{platform.description}</p>}
      {platform.fields.map(({ name, label, hint, required, kind }) => (
        <TextField
          key={name}
          name={name}
          label={label}
          hint={hint}
          type={INPUT_TYPES[kind]}
          isRequired={required}
          autoComplete="off"
        />
      ))}
      <TextField
        name="slug"
        label="Slug"
        maxLength={80}
        autoComplete="off"
        hint="What posts are addressed to, such as bluesky-news. Left empty, it is made from platform and handle."
      />
      <Button look="primary" type="submit" isPending={connecting.isPending}>
        Connect
      </Button>
      {connecting.error !== null && <ProblemView failure={connecting.error} />}
    </form>
  );
}

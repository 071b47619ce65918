/** The settings of the account that concern costs and texts. Owners change them. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { type Inputs, type Outputs, useTRPC } from '../../data/trpc.ts';
import { useEdits } from '../../data/use-edits.ts';
import { Allowed, Refusal, useCan } from '../../shell/rights.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextField } from '../../ui/field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import { centsOf } from './amounts.ts';

type Account = Outputs['account']['get']['account'];
type Settings = Inputs['account']['update'];

export function AccountSettings({ account }: { account: Account }) {
  const { fields, changes, change, settle } = useEdits({
    xAnalytics: account.xAnalytics,
    rewriteDefault: account.rewriteDefault,
    cap: account.xSpendCapCents === null ? '' : (account.xSpendCapCents / 100).toFixed(2),
  });
  const isOwner = useCan('owner');
  const { save, isPending, error } = useSave();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { cap, ...boxes } = changes;
    const xSpendCapCents = cap === undefined || cap.trim() === '' ? null : centsOf(cap);
    const settings = { ...boxes, ...(cap !== undefined && { xSpendCapCents }) };
    const names = Object.keys(settings) as (keyof typeof settings)[];
    if (names.length === 0) toast('The settings are stored as they are shown.');
    else save(settings, Object.fromEntries(names.map((name) => [name, account[name]])), settle);
  };
  return (
    <Panel title="Settings">
      <form onSubmit={submit}>
        <Refusal of="owner" />
        <Checkbox
          isDisabled={!isOwner}
          isSelected={fields.xAnalytics}
          onChange={(xAnalytics) => change({ xAnalytics })}
        >
          Read the metrics of X posts, which costs a fee
        </Checkbox>
        <Checkbox
          isDisabled={!isOwner}
          isSelected={fields.rewriteDefault}
          onChange={(rewriteDefault) => change({ rewriteDefault })}
        >
          Adapt texts with AI polish unless a post or its connection says otherwise
        </Checkbox>
        <TextField
          label="Most X fees a month, in dollars"
          hint="Posts that would exceed it are refused. Empty for no limit."
          inputMode="decimal"
          autoComplete="off"
          isDisabled={!isOwner}
          value={fields.cap}
          onChange={(cap) => change({ cap })}
          validate={(text) =>
            text.trim() === '' || centsOf(text) !== null ? null : 'Enter an amount such as 25 or 12.50, up to 100000.'
          }
        />
        <Allowed to="owner">
          <Button type="submit" isPending={isPending}>
            Save settings
          </Button>
        </Allowed>
        {error !== null && <ProblemView failure={error} />}
      </form>
    </Panel>
  );
}

function useSave() {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation(
    trpc.account.update.mutationOptions({
      onSettled: () => queryClient.invalidateQueries(trpc.account.pathFilter()),
    }),
  );
  const save = (settings: Settings, before: Settings, onSaved: () => void) =>
    mutate(settings, {
      onSuccess: () => {
        onSaved();
        toast('The settings are saved.', () => mutate(before));
      },
    });
  return { save, isPending, error };
}

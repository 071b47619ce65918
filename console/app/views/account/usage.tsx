/** The plan, and what the account has used of what it may use. */
import { Label } from 'react-aria-components/Label';
import { Meter } from 'react-aria-components/Meter';
import type { Outputs } from '../../data/trpc.ts';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { countInWords } from '../../ui/times.ts';
import { money, mebibytes } from './amounts.ts';

type Account = Outputs['account']['get']['account'];

interface Amount {
  readonly label: string;
  readonly used: number;
  /** Null for no cap. */
  readonly cap: number | null;
  readonly words?: (amount: number) => string;
}

function amountsOf({ usage, caps, xSpendCapCents }: Account): Amount[] {
  return [
    { label: 'Live posts today', used: usage.postsToday, cap: caps.postsPerDay },
    { label: 'SMS and emails today', used: usage.messagesToday, cap: caps.messagesPerDay },
    { label: 'Active connections', used: usage.activeConnections, cap: caps.activeConnections },
    { label: 'X fees this month', used: usage.xSpendCents, cap: xSpendCapCents, words: money },
    { label: 'Storage of images', used: usage.mediaBytes, cap: caps.mediaBytes, words: mebibytes },
  ];
}

export function Usage({ account }: { account: Account }) {
  const { plan, hasPaymentMethod, usage } = account;
  return (
    <Panel title="Plan and usage">
      <p>
        The plan is <b>{plan}</b>. {hasPaymentMethod ? 'A payment method is set.' : 'No payment method is set.'} The
        operator of this install changes both.
      </p>
      <div className="usage">
        {amountsOf(account).map((amount) => (
          <UsageMeter key={amount.label} amount={amount} />
        ))}
      </div>
      <p className="hint">
        The counts of the day begin again <Moment at={usage.dayEndsAt} />. A connection is active for 30 days after a
        live post.
      </p>
    </Panel>
  );
}

function UsageMeter({ amount: { label, used, cap, words = countInWords } }: { amount: Amount }) {
  if (cap === null) {
    return (
      <p>
        <b>{label}</b> <span className="soft">{words(used)}, no limit</span>
      </p>
    );
  }
  const text = `${words(used)} of ${words(cap)}`;
  return (
    <Meter className="usage-meter" value={used} maxValue={Math.max(cap, 1)} valueLabel={text}>
      {({ percentage }) => (
        <>
          <Label>{label}</Label> <span className={used >= cap ? 'bad' : 'soft'}>{text}</span>
          <span className="usage-track">
            <span className="usage-bar" style={{ inlineSize: `${percentage}%` }} />
          </span>
        </>
      )}
    </Meter>
  );
}

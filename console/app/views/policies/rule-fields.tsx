/** The fields of the rules, in the groups in which people think of them: where, how much, when, and what needs a person. */
import { useConnections, usePlatforms } from '../../data/connections.ts';
import { ZoneSelect } from '../../filters/zone-select.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextField } from '../../ui/field.tsx';
import { NativeField } from '../../ui/native-field.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ZONE } from '../../ui/times.ts';
import type { Named, RuleForm } from './policy-form.ts';

export interface RuleFieldsProps {
  readonly form: RuleForm;
  /** The connections that the policy names as it is in force. */
  readonly named: readonly Named[];
  onChange(changes: Partial<RuleForm>): void;
}

export function RuleFields({ form, named, onChange }: RuleFieldsProps) {
  return (
    <>
      <Where form={form} named={named} onChange={onChange} />
      <Panel title="How much">
        <NumberField
          label="Posts in any 60 minutes"
          value={form.postsPerHour}
          onChange={(postsPerHour) => onChange({ postsPerHour })}
        />
        <NumberField
          label="Posts in any 24 hours"
          value={form.postsPerDay}
          onChange={(postsPerDay) => onChange({ postsPerDay })}
        />
        <NumberField
          label="Fees of a month, in cents"
          value={form.spendCentsPerMonth}
          onChange={(spendCentsPerMonth) => onChange({ spendCentsPerMonth })}
        />
      </Panel>
      <Panel title="Quiet hours">
        <NativeField
          label="From"
          type="time"
          value={form.quietFrom}
          hint="Nothing goes out from then"
          onChange={(quietFrom) => onChange({ quietFrom })}
        />
        <NativeField
          label="To"
          type="time"
          value={form.quietTo}
          hint="until then, over midnight too."
          onChange={(quietTo) => onChange({ quietTo })}
        />
        <ZoneSelect zone={form.timezone} onChange={(zone) => onChange({ timezone: zone ?? ZONE })} />
      </Panel>
      <Panel title="Needs a person">
        <Checkbox isSelected={form.approvalAlways} onChange={(approvalAlways) => onChange({ approvalAlways })}>
          Every post
        </Checkbox>
        <TextField
          label="Words"
          rows={4}
          dir="auto"
          hint="One in each line. A post with one of them waits."
          value={form.approvalWords}
          onChange={(approvalWords) => onChange({ approvalWords })}
        />
        <Checkbox isSelected={form.approvalLinks} onChange={(approvalLinks) => onChange({ approvalLinks })}>
          Links
        </Checkbox>
        <TextField
          label="Hosts whose links do not wait"
          rows={3}
          hint="One in each line, such as example.com. Its subdomains are included."
          value={form.linkHosts}
          onChange={(linkHosts) => onChange({ linkHosts })}
        />
      </Panel>
    </>
  );
}

function Where({ form: { connectionIds, platforms }, named, onChange }: RuleFieldsProps) {
  const listed = useConnections().data?.connections;
  const connections = listed ?? [];
  const gone = listed === undefined ? [] : named.filter(({ id }) => listed.every((one) => one.id !== id));
  const all = usePlatforms().data?.platforms ?? [];
  const used = all.filter(
    ({ id }) => connections.some(({ platformId }) => platformId === id) || platforms.includes(id),
  );
  return (
    <Panel title="Where">
      <p className="hint">Only to what is ticked. Without a tick, to everything that it reaches.</p>
      <fieldset className="tick-list">
        <legend>Connections</legend>
        {connections.map(({ id, slug, description }) => (
          <Checkbox
            key={id}
            isSelected={connectionIds.includes(id)}
            onChange={(isOn) => onChange({ connectionIds: toggled(connectionIds, id, isOn) })}
          >
            <span>
              <bdi>{description}</bdi> <span className="hint">{slug}</span>
            </span>
          </Checkbox>
        ))}
        {gone.map(({ id, slug }) => (
          <Checkbox
            key={id}
            isSelected={connectionIds.includes(id)}
            onChange={(isOn) => onChange({ connectionIds: toggled(connectionIds, id, isOn) })}
          >
            <span>
              <bdi>{slug}</bdi> <span className="hint">disconnected</span>
            </span>
          </Checkbox>
        ))}
      </fieldset>
      <fieldset className="tick-list">
        <legend>Platforms</legend>
        {used.map(({ id, name }) => (
          <Checkbox
            key={id}
            isSelected={platforms.includes(id)}
            onChange={(isOn) => onChange({ platforms: toggled(platforms, id, isOn) })}
          >
            {name}
          </Checkbox>
        ))}
      </fieldset>
    </Panel>
  );
}

function NumberField({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) {
  return (
    <TextField
      label={label}
      inputMode="numeric"
      pattern="[0-9]*"
      hint="Empty for no limit."
      value={value}
      onChange={(text) => onChange(text.replaceAll(/\D/g, ''))}
    />
  );
}

function toggled(all: readonly string[], one: string, isOn: boolean): readonly string[] {
  return isOn ? [...all, one] : all.filter((other) => other !== one);
}

/** The connections that a text can go to: searched, by profile, grouped by platform. */
import { useState } from 'react';
import { CheckboxGroup } from 'react-aria-components/CheckboxGroup';
import { Label } from 'react-aria-components/Label';
import { useQuery } from '@tanstack/react-query';
import { type Connection, useNames } from '../../data/connections.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextField } from '../../ui/field.tsx';
import { Link } from '../../ui/link.tsx';
import { LaterSelect } from './later-select.tsx';
import type { Verdict } from './use-verdicts.ts';

export interface TargetsProps {
  readonly connections: readonly Connection[];
  /** Ids. */
  readonly chosen: readonly string[];
  readonly verdicts: ReadonlyMap<string, Verdict>;
  onChange(ids: string[]): void;
}

/** From this number on there is a search field. */
const SEARCH_FROM = 8;

/** How many connections of a platform show before a press shows the others. */
const SHOWN = 12;

const ALL = 'all';
const OWN = 'own';

export function Targets({ connections, chosen, verdicts, onChange }: TargetsProps) {
  const [words, setWords] = useState('');
  const [profile, setProfile] = useState(ALL);
  const names = useNames();
  if (connections.length === 0) {
    return (
      <p className="hint">
        There is no connection yet.{' '}
        <Link to="/connections" className="link">
          Connect an account
        </Link>{' '}
        first.
      </p>
    );
  }
  const found = connections.filter((one) => isIn(profile, one) && hasWords(one, names.platform(one.platformId), words));
  const groups = [...Map.groupBy(found, ({ platformId }) => platformId)];
  return (
    <div className="field targets">
      <div className="target-filters">
        {connections.some(({ profileId }) => profileId !== null) && (
          <ProfileChoice value={profile} connections={connections} onChange={setProfile} />
        )}
        {connections.length >= SEARCH_FROM && (
          <TextField label="Search the connections" type="search" dir="auto" value={words} onChange={setWords} />
        )}
      </div>
      <CheckboxGroup value={[...chosen]} onChange={onChange}>
        <Label>Send to</Label> <Count chosen={chosen.length} onClear={() => onChange([])} />
        {groups.map(([platformId, members]) => (
          <Group
            key={platformId}
            name={names.platform(platformId)}
            members={members}
            chosen={chosen}
            verdicts={verdicts}
            isAlone={groups.length === 1 && members.length < SEARCH_FROM}
            onChange={onChange}
          />
        ))}
        {found.length === 0 && <p className="hint">No connection matches. Search for another word.</p>}
      </CheckboxGroup>
    </div>
  );
}

function Count({ chosen, onClear }: { chosen: number; onClear(): void }) {
  if (chosen === 0) return null;
  return (
    <>
      <span className="soft">{chosen === 1 ? '1 connection' : `${chosen} connections`}</span>{' '}
      {chosen > 1 && (
        <Button look="quiet" onPress={onClear}>
          Choose none
        </Button>
      )}
    </>
  );
}

interface GroupProps extends Pick<TargetsProps, 'chosen' | 'verdicts' | 'onChange'> {
  readonly name: string;
  readonly members: readonly Connection[];
  /** Whether nothing else is listed, so that it needs no heading. */
  readonly isAlone: boolean;
}

function Group({ name, members, chosen, verdicts, isAlone, onChange }: GroupProps) {
  const [isWhole, setWhole] = useState(false);
  const ids = members.map(({ id }) => id);
  const isAll = ids.every((id) => chosen.includes(id));
  // Chosen ones always show, also beyond the shown part of the list.
  const shown = isWhole ? members : members.filter(({ id }, index) => index < SHOWN || chosen.includes(id));
  const toggle = () => onChange(isAll ? chosen.filter((id) => !ids.includes(id)) : [...new Set([...chosen, ...ids])]);
  return (
    <div role="group" aria-label={name} className="target-group">
      {!isAlone && (
        <div className="target-head">
          <span className="target-platform">
            {name} <span className="soft">{members.length}</span>
          </span>
          <Button look="quiet" onPress={toggle} aria-label={isAll ? `None of ${name}` : `All of ${name}`}>
            {isAll ? 'None' : 'All'}
          </Button>
        </div>
      )}
      {shown.map(({ id, slug, description }) => (
        <div key={id} className="target">
          <Checkbox value={id}>
            <span>
              <b>{slug}</b> {isAlone && <span className="soft">{name}</span>} <bdi className="soft">{description}</bdi>
            </span>
          </Checkbox>
          {chosen.includes(id) && <Fit verdict={verdicts.get(id)} />}
        </div>
      ))}
      {shown.length < members.length && (
        <Button look="quiet" onPress={() => setWhole(true)}>
          Show {members.length - shown.length} more of {name}
        </Button>
      )}
    </div>
  );
}

function Fit({ verdict }: { verdict: Verdict | undefined }) {
  if (verdict === undefined) return null;
  return verdict.ok ? <span className="verdict">fits</span> : <span className="verdict verdict-bad">does not fit</span>;
}

interface ProfileChoiceProps {
  readonly value: string;
  readonly connections: readonly Connection[];
  onChange(value: string): void;
}

/** Names come from the list of profiles; a key of one profile cannot read it. */
function ProfileChoice({ value, connections, onChange }: ProfileChoiceProps) {
  const { data } = useQuery(useTRPC().profiles.list.queryOptions({ limit: 100 }, { retry: false }));
  const known = new Map(data?.profiles.map(({ id, name }) => [id, name]));
  const ids = [...new Set(connections.flatMap(({ profileId }) => profileId ?? []))];
  const choices = [
    { value: ALL, label: 'All' },
    { value: OWN, label: 'Your own accounts' },
    ...ids.map((id) => ({ value: id, label: known.get(id) ?? id })),
  ];
  return <LaterSelect label="Profile" value={value} choices={choices} onChange={onChange} />;
}

function isIn(profile: string, { profileId }: Connection): boolean {
  return profile === ALL || profileId === (profile === OWN ? null : profile);
}

function hasWords({ slug, description }: Connection, platform: string, words: string): boolean {
  const text = `${slug} ${description} ${platform}`.toLocaleLowerCase();
  return words
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

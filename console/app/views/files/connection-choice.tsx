/** The connections that an import or a feed writes for: whose they are, then which. They are named by slug. */
import { useState } from 'react';
import { CheckboxGroup } from 'react-aria-components/CheckboxGroup';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { type Connection, useConnections, useNames } from '../../data/connections.ts';
import { useProfileNames } from '../../data/profiles.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { TextField } from '../../ui/field.tsx';
import { Link } from '../../ui/link.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Select } from '../../ui/select.tsx';

export interface Chosen {
  /** Null for connections of the account itself. */
  readonly profileId: string | null;
  readonly slugs: readonly string[];
}

export interface ConnectionChoiceProps {
  readonly label: string;
  readonly chosen: Chosen;
  /** Whether at least one must be chosen. */
  readonly isRequired?: boolean;
  /** Whether the profile can be changed; a feed keeps its profile. */
  readonly hasFixedProfile?: boolean;
  onChange(chosen: Chosen): void;
}

/** A choice cannot have an empty value. */
const OWN = 'own';

/** From this number on there is a search field. */
const SEARCH_FROM = 8;

/** How many connections show; more are found by their words. */
const SHOWN = 24;

export function ConnectionChoice(props: ConnectionChoiceProps) {
  return (
    <QueryView what="the connections" query={useConnections()}>
      {({ connections }) => <Choices connections={connections} {...props} />}
    </QueryView>
  );
}

function Choices({
  connections,
  label,
  chosen: { profileId, slugs },
  isRequired = false,
  hasFixedProfile = false,
  onChange,
}: ConnectionChoiceProps & { connections: readonly Connection[] }) {
  const [words, setWords] = useState('');
  const [before] = useState({ profileId, slugs });
  const profileName = useProfileNames();
  const names = useNames();
  const profiles = new Set(connections.flatMap((one) => one.profileId ?? []));
  const members = connections.filter((one) => one.profileId === profileId);
  const found = members.filter(({ slug, handle }) =>
    `${slug} ${handle}`.toLowerCase().includes(words.trim().toLowerCase()),
  );
  // A feed keeps the slug of a connection that was disconnected or moved. It shows, so that it can be left out, and chosen again.
  const known = new Set([...(before.profileId === profileId ? before.slugs : []), ...slugs]);
  const others = [...known].filter((slug) => members.every((one) => one.slug !== slug));
  const whyNoMember = (slug: string) => {
    const moved = connections.find((one) => one.slug === slug);
    if (moved === undefined) return 'disconnected';
    return moved.profileId === null ? 'moved out of the profile' : `moved to ${profileName(moved.profileId)}`;
  };
  // Chosen ones always show.
  const shown = found.filter(({ slug }, index) => index < SHOWN || slugs.includes(slug));
  return (
    <div className="field">
      {!hasFixedProfile && profiles.size > 0 && (
        <div className="field">
          <Select
            label="Whose connections"
            value={profileId ?? OWN}
            choices={[
              { value: OWN, label: 'Our own' },
              ...[...profiles].map((id) => ({ value: id, label: profileName(id) })),
            ]}
            onChange={(value) => onChange({ profileId: value === OWN ? null : value, slugs: [] })}
          />
        </div>
      )}
      {members.length >= SEARCH_FROM && (
        <TextField label="Search the connections" type="search" dir="auto" value={words} onChange={setWords} />
      )}
      <CheckboxGroup
        isRequired={isRequired}
        value={[...slugs]}
        onChange={(values) => onChange({ profileId, slugs: values })}
      >
        <Label>
          {label}
          {!isRequired && <span className="optional"> (optional)</span>}
        </Label>
        <div className="connection-choices">
          {shown.map(({ id, slug, platformId }) => (
            <Checkbox key={id} value={slug}>
              <span>
                <bdi>{slug}</bdi> <span className="soft">{names.platform(platformId)}</span>
              </span>
            </Checkbox>
          ))}
          {others.map((slug) => (
            <Checkbox key={slug} value={slug}>
              <span>
                <bdi>{slug}</bdi>{' '}
                <span className="soft">
                  <bdi>{whyNoMember(slug)}</bdi>
                </span>
              </span>
            </Checkbox>
          ))}
        </div>
        <FieldError className="field-error">Choose at least one connection.</FieldError>
      </CheckboxGroup>
      {found.length > shown.length && (
        <p className="hint">{found.length - shown.length} more. Search for the one that you want.</p>
      )}
      {members.length === 0 && (
        <p className="hint">
          There is no connection here yet.{' '}
          <Link to="/connections/new" className="link">
            Connect an account
          </Link>{' '}
          first.
        </p>
      )}
    </div>
  );
}

/** The fields of a feed, to add one and to change one, with a preview of what its newest item becomes. Loaded after the list. */
import type { FormEvent } from 'react';
import { useEdits } from '../../data/use-edits.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { Select } from '../../ui/select.tsx';
import { ConnectionChoice } from './connection-choice.tsx';
import { FeedPreview } from './feed-preview.tsx';
import { DELIVERIES, type Feed, intervalInWords, INTERVALS } from './feed-words.ts';

export interface FeedFields extends Pick<
  Feed,
  'url' | 'template' | 'delivery' | 'intervalMinutes' | 'profileId' | 'connectionSlugs'
> {}

export interface FeedFormProps {
  /** The feed to change; absent to add one. */
  readonly feed?: Feed;
  /** Name of the button. */
  readonly action: string;
  readonly isPending: boolean;
  /** Why the last try failed; null otherwise. */
  readonly failure: unknown;
  /** @param settle ends the edits, once they are stored */
  onSubmit(fields: FeedFields, settle: () => void): void;
}

const EMPTY: FeedFields = {
  url: '',
  template: '{title}\n\n{link}',
  delivery: 'draft',
  intervalMinutes: 60,
  profileId: null,
  connectionSlugs: [],
};

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function FeedForm({ feed, action, isPending, failure, onSubmit }: FeedFormProps) {
  const { fields, change, settle } = useEdits(feed === undefined ? EMPTY : fieldsOf(feed));
  const { url, template, delivery, intervalMinutes: minutes, profileId, connectionSlugs } = fields;
  const chosen = { profileId, slugs: connectionSlugs };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ ...fields, url: url.trim(), template: template.trim() }, settle);
  };
  const offered = [...new Set([...Object.keys(INTERVALS).map(Number), minutes])].toSorted((a, b) => a - b);
  return (
    <form onSubmit={submit}>
      <TextField
        label="Address of the feed"
        type="url"
        isRequired
        autoComplete="off"
        hint="Of an RSS or Atom document, such as https://blog.example.com/feed.xml. Everyone who may read posts sees it."
        value={url}
        onChange={(value) => change({ url: value })}
      />
      <TextField
        label="Text of the posts"
        isRequired
        rows={4}
        dir="auto"
        maxLength={5_000}
        hint="{title}, {link} and {summary} come from the item."
        value={template}
        onChange={(value) => change({ template: value })}
      />
      <ConnectionChoice
        label="Write for"
        isRequired
        hasFixedProfile={feed !== undefined}
        chosen={chosen}
        onChange={(next) => change({ profileId: next.profileId, connectionSlugs: [...next.slugs] })}
      />
      <FeedPreview url={url.trim()} template={template.trim()} chosen={chosen} />
      <RadioChoice<Feed['delivery']>
        label="New items become"
        value={delivery}
        choices={Object.entries(DELIVERIES).map(([value, label]) => ({ value: value as Feed['delivery'], label }))}
        onChange={(value) => change({ delivery: value })}
      />
      <div className="field">
        <Select
          label="Poll it"
          value={String(minutes)}
          choices={offered.map((value) => ({ value: String(value), label: intervalInWords(value) }))}
          onChange={(value) => change({ intervalMinutes: Number(value) })}
        />
      </div>
      <Button look="primary" type="submit" isPending={isPending}>
        {action}
      </Button>
      {failure !== null && <ProblemView failure={failure} />}
    </form>
  );
}

function fieldsOf({ url, template, delivery, intervalMinutes, profileId, connectionSlugs }: Feed): FeedFields {
  return { url, template, delivery, intervalMinutes, profileId, connectionSlugs };
}

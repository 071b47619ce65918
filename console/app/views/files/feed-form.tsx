/** The fields of a feed, to add one and to change one, with a preview of what its newest item becomes. Loaded after the list. */
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { Select } from '../../ui/select.tsx';
import { type Chosen, ConnectionChoice } from './connection-choice.tsx';
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
  onSubmit(fields: FeedFields): void;
}

const TEMPLATE = '{title}\n\n{link}';
const HOUR = 60;

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function FeedForm({ feed, action, isPending, failure, onSubmit }: FeedFormProps) {
  const [url, setUrl] = useState(feed?.url ?? '');
  const [template, setTemplate] = useState(feed?.template ?? TEMPLATE);
  const [delivery, setDelivery] = useState<Feed['delivery']>(feed?.delivery ?? 'draft');
  const [minutes, setMinutes] = useState(feed?.intervalMinutes ?? HOUR);
  const [chosen, setChosen] = useState<Chosen>({
    profileId: feed?.profileId ?? null,
    slugs: feed?.connectionSlugs ?? [],
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({
      url: url.trim(),
      template: template.trim(),
      delivery,
      intervalMinutes: minutes,
      profileId: chosen.profileId,
      connectionSlugs: [...chosen.slugs],
    });
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
        onChange={setUrl}
      />
      <TextField
        label="Text of the posts"
        isRequired
        rows={4}
        dir="auto"
        maxLength={5_000}
        hint="{title}, {link} and {summary} come from the item."
        value={template}
        onChange={setTemplate}
      />
      <ConnectionChoice
        label="Write for"
        isRequired
        hasFixedProfile={feed !== undefined}
        chosen={chosen}
        onChange={setChosen}
      />
      <FeedPreview url={url.trim()} template={template.trim()} chosen={chosen} />
      <RadioChoice<Feed['delivery']>
        label="New items become"
        value={delivery}
        choices={Object.entries(DELIVERIES).map(([value, label]) => ({ value: value as Feed['delivery'], label }))}
        onChange={setDelivery}
      />
      <div className="field">
        <Select
          label="Poll it"
          value={String(minutes)}
          choices={offered.map((value) => ({ value: String(value), label: intervalInWords(value) }))}
          onChange={(value) => setMinutes(Number(value))}
        />
      </div>
      <Button look="primary" type="submit" isPending={isPending}>
        {action}
      </Button>
      {failure !== null && <ProblemView failure={failure} />}
    </form>
  );
}

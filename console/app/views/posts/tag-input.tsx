/** A field for tags, separated by spaces or commas, with suggestions of tags in use. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTRPC } from '../../data/trpc.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { isTag, TAG_RULE, tagsIn, useUsedTags } from './tags.ts';
import './tags.css';

/** Most suggestions at a time. */
const SUGGESTIONS_MAX = 6;

export interface TagInputProps {
  readonly label: string;
  readonly text: string;
  onText(text: string): void;
  /** Tags that need no suggestion. */
  readonly present?: readonly string[];
  /** Shows suggestions before a person types. */
  readonly suggestsAtOnce?: boolean;
}

export function TagInput({ label, text, onText, present = [], suggestsAtOnce = false }: TagInputProps) {
  const usedTags = useUsedTags();
  const typed = tagsIn(text);
  const refused = typed.filter((tag) => !isTag(tag));
  const isWordOver = /[\s,]$/.test(text) || text === '';
  const complete = isWordOver ? typed : typed.slice(0, -1);
  const word = isWordOver ? '' : (typed.at(-1) ?? '');
  const isSuggesting = word !== '' || suggestsAtOnce;
  // A filtered list, or the page of a post, has few tags.
  const newest = useQuery({ ...useTRPC().posts.list.queryOptions({ limit: 100 }), enabled: isSuggesting });
  const used = useMemo(
    () => (isSuggesting && !newest.isFetching ? usedTags() : []),
    [isSuggesting, newest.isFetching, usedTags],
  );
  const offered = used.filter((tag) => !typed.includes(tag) && !present.includes(tag) && tag.startsWith(word));
  return (
    <div className="tag-input">
      <TextField
        label={label}
        isRequired
        value={text}
        onChange={onText}
        isInvalid={refused.length > 0}
        autoComplete="off"
        spellCheck="false"
        hint={refused.length > 0 ? `${refused.join(', ')}: ${TAG_RULE}` : undefined}
      />
      {offered.length > 0 && (
        <div className="tag-suggestions" role="group" aria-label="Tags in use">
          {offered.slice(0, SUGGESTIONS_MAX).map((tag) => (
            <Button
              key={tag}
              look="quiet"
              aria-label={`Add the tag ${tag}`}
              onPress={() => onText([...complete, tag, ''].join(' '))}
            >
              + {tag}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Tags that can be removed, and a field that adds others. */
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { X } from '../../ui/icons.tsx';
import { TagInput } from './tag-input.tsx';
import { isTag, tagsIn } from './tags.ts';

export interface TagsFieldProps {
  /** Label of the field, such as "Add tags". */
  readonly label: string;
  readonly tags: readonly string[];
  /** Name of the button that removes a tag. */
  removeLabel(tag: string): string;
  onChange(tags: string[]): void;
}

export function TagsField({ label, tags, removeLabel, onChange }: TagsFieldProps) {
  const [text, setText] = useState('');
  const typed = tagsIn(text);
  const canAdd = typed.length > 0 && typed.every(isTag);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!canAdd) return;
    onChange([...new Set([...tags, ...typed])]);
    setText('');
  };
  return (
    <form className="tags-field" onSubmit={submit} noValidate>
      {tags.map((tag) => (
        <Button
          key={tag}
          look="quiet"
          aria-label={removeLabel(tag)}
          onPress={() => onChange(tags.filter((other) => other !== tag))}
        >
          #{tag} <X aria-hidden size={14} />
        </Button>
      ))}
      <TagInput label={label} text={text} onText={setText} present={tags} />
      <Button type="submit" isDisabled={!canAdd}>
        Add
      </Button>
    </form>
  );
}

/** Asks which tags to add to the selected posts, and which to remove. */
import { type FormEvent, useState } from 'react';
import { CheckboxGroup } from 'react-aria-components/CheckboxGroup';
import { Dialog } from 'react-aria-components/Dialog';
import { Heading } from 'react-aria-components/Heading';
import { Label } from 'react-aria-components/Label';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { countWords } from './bulk-actions.ts';
import type { Post } from './post-actions.ts';
import { TagInput } from './tag-input.tsx';
import { countTags, isTag, type TagChange, tagsIn } from './tags.ts';

export interface TagDialogProps {
  readonly posts: readonly Post[];
  onConfirm(change: TagChange): void;
  onClose(): void;
}

// eslint-disable-next-line import/no-default-export -- React loads default exports only
export default function TagDialog({ posts, onConfirm, onClose }: TagDialogProps) {
  const [text, setText] = useState('');
  const add = tagsIn(text);
  const [remove, setRemove] = useState<readonly string[]>([]);
  const present = countTags(posts);
  const canSubmit = add.length + remove.length > 0 && add.every(isTag);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!canSubmit) return;
    onClose();
    onConfirm({ add, remove });
  };
  return (
    <ModalOverlay className="overlay" isOpen onOpenChange={(isOpen) => !isOpen && onClose()} isDismissable>
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title">Tags of {countWords(posts.length)}</Heading>
          <form className="dialog-body" onSubmit={submit} noValidate>
            <TagInput label="Add tags" text={text} onText={setText} suggestsAtOnce />
            {present.length > 0 && (
              <CheckboxGroup className="field" value={[...remove]} onChange={setRemove}>
                <Label>Remove</Label>
                <div className="tag-choices">
                  {present.map(({ tag, count }) => (
                    <Checkbox key={tag} value={tag}>
                      #{tag}, on {countWords(count)}
                    </Checkbox>
                  ))}
                </div>
              </CheckboxGroup>
            )}
            <div className="actions">
              <Button onPress={onClose}>Close</Button>
              <Button type="submit" look="primary" isDisabled={!canSubmit}>
                Change the tags
              </Button>
            </div>
          </form>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

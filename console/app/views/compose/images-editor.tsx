/** Images by file, drop or paste, each with alt text and its place, and what a send would do to it. */
import { useRef } from 'react';
import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Text } from 'react-aria-components/Text';
import { type Connection, useNames } from '../../data/connections.ts';
import { MediaImage } from '../../data/images/media-image.tsx';
import { ALT_TEXT_MAX, IMAGE_TYPES, usePastedFiles } from '../../data/images/upload.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { HeldImage } from '../../ui/held-image.tsx';
import { ImageUp } from '../../ui/icons.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { toast } from '../../ui/toasts.tsx';
import { AltTextProposal } from './alt-text-proposal.tsx';
import type { ComposedImage } from './composition.ts';
import type { EditorProps } from './text-editor.tsx';
import { MoveButtons } from '../../ui/move-buttons.tsx';
import { changesInWords } from './image-changes.ts';
import { removeImage } from './undoable.ts';
import type { Upload } from './uploads.ts';
import { IMAGES_MAX, type useImages } from './use-images.ts';
import type { Verdict } from './use-verdicts.ts';

export interface ImagesEditorProps extends EditorProps {
  readonly uploading: ReturnType<typeof useImages>;
}

export function ImagesEditor({ store, composition, chosen, verdicts, uploading }: ImagesEditorProps) {
  const { images } = composition;
  const { uploads, choose, leaveOut, again } = uploading;
  usePastedFiles(choose);
  const change = (id: string, altText: string) =>
    store.change(
      (before) => ({ images: before.images.map((one) => (one.id === id ? { ...one, altText } : one)) }),
      composition.id,
    );
  const remove = (image: ComposedImage) =>
    toast('The image is removed from the post.', removeImage(store, composition, image));
  const move = (index: number, by: number) => {
    const image = images[index];
    if (image !== undefined) store.change({ images: images.toSpliced(index, 1).toSpliced(index + by, 0, image) });
  };
  return (
    <div role="group" aria-label="Images" className="field">
      {(images.length > 0 || uploads.length > 0) && (
        <ol className="rows composed-images" aria-label="Chosen images">
          {images.map((image, index) => (
            <Composed
              key={image.id}
              image={image}
              index={index}
              count={images.length}
              chosen={chosen}
              verdicts={verdicts}
              onAltText={(altText) => change(image.id, altText)}
              onMove={move}
              onRemove={() => remove(image)}
            />
          ))}
          {uploads.map((upload) => (
            <Uploading
              key={upload.id}
              upload={upload}
              onAgain={() => again(upload)}
              onLeaveOut={() => leaveOut(upload.id)}
            />
          ))}
        </ol>
      )}
      {images.length < IMAGES_MAX && (
        <DropZone
          className="drop-zone"
          onDrop={({ items }) => {
            const files = items.flatMap((item) => (item.kind === 'file' ? [item.getFile()] : []));
            void Promise.all(files).then(choose);
          }}
        >
          <ImageUp aria-hidden size={24} />
          <Text slot="label">Drop images here, or paste them</Text>
          <FileTrigger acceptedFileTypes={IMAGE_TYPES} allowsMultiple onSelect={(files) => files && choose(files)}>
            <Button>Choose images</Button>
          </FileTrigger>
        </DropZone>
      )}
    </div>
  );
}

interface ComposedProps {
  readonly image: ComposedImage;
  readonly index: number;
  readonly count: number;
  readonly chosen: readonly Connection[];
  readonly verdicts: ReadonlyMap<string, Verdict>;
  onAltText(altText: string): void;
  onMove(index: number, by: number): void;
  onRemove(): void;
}

function Composed({ image, index, count, chosen, verdicts, onAltText, onMove, onRemove }: ComposedProps) {
  const place = useRef<HTMLLIElement>(null);
  const what = `image ${index + 1}`;
  return (
    <li ref={place} className="chosen-image">
      <div className="composed-picture">
        <MediaImage media={image} alt={image.altText} place={place} />
      </div>
      <div>
        <TextField
          label={`Alt text of ${what}`}
          hint="What the image shows, for people who do not see it."
          dir="auto"
          maxLength={ALT_TEXT_MAX}
          value={image.altText}
          onChange={onAltText}
        />
        <AltTextProposal mediaId={image.id} what={what} onUse={onAltText} />
        <Outcomes image={image} chosen={chosen} verdicts={verdicts} />
        <div className="actions">
          <MoveButtons what={what} index={index} count={count} onMove={onMove} />
          <Button look="quiet" aria-label={`Remove ${what}`} onPress={onRemove}>
            Remove
          </Button>
        </div>
      </div>
    </li>
  );
}

/** What happens to the image, once per platform. */
function Outcomes({ image, chosen, verdicts }: Pick<ComposedProps, 'image' | 'chosen' | 'verdicts'>) {
  const names = useNames();
  const outcomes = chosen.flatMap(({ id, platformId }) => {
    const outcome = verdicts.get(id)?.images.find((one) => one.id === image.id);
    return outcome === undefined ? [] : [{ platform: names.platform(platformId), words: changesInWords(outcome) }];
  });
  const lines = [
    ...new Set(outcomes.flatMap(({ platform, words }) => (words === null ? [] : `${platform}: ${words}`))),
  ];
  if (outcomes.length === 0) return null;
  return (
    <ul className="outcomes hint" aria-label="What happens to the image">
      {lines.length === 0 ? <li>Goes out as it is.</li> : lines.map((line) => <li key={line}>{line}</li>)}
    </ul>
  );
}

interface UploadingProps {
  readonly upload: Upload;
  onAgain(): void;
  onLeaveOut(): void;
}

function Uploading({ upload: { file, refusal, failure }, onAgain, onLeaveOut }: UploadingProps) {
  return (
    <li className="chosen-image">
      {refusal === null && <HeldImage bytes={file} alt="" />}
      <div>
        <p>
          <bdi>{file.name}</bdi>
        </p>
        {refusal !== null && (
          <p className="problem" role="alert">
            {refusal}
          </p>
        )}
        {refusal === null && failure === null && <Loading what={`the upload of ${file.name}`} />}
        {failure !== null && <ProblemView failure={failure} action={<Button onPress={onAgain}>Upload again</Button>} />}
        {(refusal !== null || failure !== null) && (
          <Button look="quiet" aria-label={`Leave out ${file.name}`} onPress={onLeaveOut}>
            Leave out
          </Button>
        )}
      </div>
    </li>
  );
}

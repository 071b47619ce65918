/** Upload: images by file, drop or paste, each with its alt text, which cannot be changed later. */
import { DropZone } from 'react-aria-components/DropZone';
import { FileTrigger } from 'react-aria-components/FileTrigger';
import { Text } from 'react-aria-components/Text';
import { ALT_TEXT_MAX, IMAGE_TYPES, usePastedFiles } from '../../data/images/upload.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { HeldImage } from '../../ui/held-image.tsx';
import { ImageUp } from '../../ui/icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { bytesInWords } from '../../ui/sizes.ts';
import { type ChosenImage, useUploads } from './uploads.ts';

export function UploadPanel() {
  const { images, choose, change, leaveOut, upload, isUploading } = useUploads();
  usePastedFiles(choose);
  const ready = images.filter(({ refusal }) => refusal === null).length;
  return (
    <Panel title="Upload">
      <DropZone
        className="drop-zone"
        onDrop={({ items }) => {
          const files = items.flatMap((item) => (item.kind === 'file' ? [item.getFile()] : []));
          void Promise.all(files).then(choose);
        }}
      >
        <ImageUp aria-hidden size={28} />
        <Text slot="label">Drop images here, or paste them</Text>
        <FileTrigger acceptedFileTypes={IMAGE_TYPES} allowsMultiple onSelect={(files) => files && choose(files)}>
          <Button>Choose files</Button>
        </FileTrigger>
      </DropZone>
      {images.length > 0 && (
        <ul className="rows" aria-label="Chosen images">
          {images.map((image) => (
            <Chosen
              key={image.id}
              image={image}
              isUploading={isUploading}
              onAltText={(altText) => change(image.id, { altText })}
              onLeaveOut={() => leaveOut(image.id)}
            />
          ))}
        </ul>
      )}
      {ready > 0 && (
        <Button look="primary" isPending={isUploading} onPress={upload}>
          {ready === 1 ? 'Upload the image' : `Upload ${ready} images`}
        </Button>
      )}
    </Panel>
  );
}

interface ChosenProps {
  readonly image: ChosenImage;
  readonly isUploading: boolean;
  onAltText(altText: string): void;
  onLeaveOut(): void;
}

function Chosen({ image: { file, altText, refusal, failure }, isUploading, onAltText, onLeaveOut }: ChosenProps) {
  return (
    <li className="chosen-image">
      {refusal === null && <HeldImage bytes={file} alt="" />}
      <div>
        <p>
          <bdi>{file.name}</bdi> <span className="soft">{bytesInWords(file.size)}</span>
        </p>
        {refusal === null ? (
          <TextField
            label="Alt text"
            hint="What the image shows, for people who do not see it. It cannot be changed after the upload; a post may say something else."
            dir="auto"
            maxLength={ALT_TEXT_MAX}
            value={altText}
            isReadOnly={isUploading}
            onChange={onAltText}
          />
        ) : (
          <p className="problem" role="alert">
            {refusal}
          </p>
        )}
        {failure !== null && <ProblemView failure={failure} />}
        <Button look="quiet" aria-label={`Leave out ${file.name}`} isDisabled={isUploading} onPress={onLeaveOut}>
          Leave out
        </Button>
      </div>
    </li>
  );
}

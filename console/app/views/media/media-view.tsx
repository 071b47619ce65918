/** Media: the storage used, the upload, and the images in an endless grid. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { useTitle } from '../../shell/use-title.ts';
import { Checkbox } from '../../ui/checkbox.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ImageIcon } from '../../ui/view-icons.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { MediaGrid } from './media-grid.tsx';
import { Storage } from './storage.tsx';
import { UploadPanel } from './upload-panel.tsx';
import { useRemoval } from './use-removal.ts';
import './media.css';

const route = getRouteApi('/media');

/** How many images are listed at once. */
const PAGE = 48;

export function MediaView() {
  useTitle('Media');
  return (
    <>
      <h1>Media</h1>
      <Storage />
      <Refusal of="posts:write" />
      <Allowed to="posts:write">
        <UploadPanel />
      </Allowed>
      <Images />
    </>
  );
}

function Images() {
  const isUnused = route.useSearch().unused === 'yes';
  const navigate = useNavigate({ from: '/media' });
  const { hidden, remove, error } = useRemoval();
  const query = useInfiniteQuery(
    useTRPC().media.list.infiniteQueryOptions(
      { unused: isUnused, limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  const media = useMemo(
    () => query.data?.pages.flatMap((page) => page.media).filter(({ id }) => !hidden.has(id)) ?? [],
    [query.data, hidden],
  );
  return (
    <Panel title="Images">
      <Checkbox
        isSelected={isUnused}
        onChange={(only) => void navigate({ to: '/media', search: only ? { unused: 'yes' } : {} })}
      >
        Only images that no post names
      </Checkbox>
      <p className="hint">
        An image that a draft, scheduled or processing post needs cannot be deleted. Deleting the image of a sent post
        changes nothing on its platform. Images are also freed automatically: 7 days after their upload if no post names
        them, otherwise a day after the last attempt to send their post.
      </p>
      {error !== null && <ProblemView failure={error} />}
      <QueryView what="the images" query={query}>
        {() =>
          media.length === 0 && !query.hasNextPage ? (
            <EmptyState icon={ImageIcon} title={isUnused ? 'No image is unused' : 'No images yet'}>
              {isUnused ? 'A post names each image.' : 'Upload one above, and posts can use it.'}
            </EmptyState>
          ) : (
            <MediaGrid media={media} isUnused={isUnused} onDelete={({ id }) => remove(id)} query={query} />
          )
        }
      </QueryView>
    </Panel>
  );
}

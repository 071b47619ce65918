/** One request for approval: what, where, when, by whom, what changed since the last request, and the decision. */
import { useQuery } from '@tanstack/react-query';
import { type Connection, useConnections, useNames } from '../../data/connections.ts';
import { useProfileNames } from '../../data/profiles.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed } from '../../shell/rights.tsx';
import { Link } from '../../ui/link.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { type LookPart, PostLook } from '../../ui/post-look.tsx';
import { LookPictures } from '../compose/look-pictures.tsx';
import { MarkedWords } from '../compose/marked-words.tsx';
import { differenceOf } from '../compose/word-difference.ts';
import { Decision } from './decision.tsx';
import { PlannedTime } from './planned-time.tsx';
import type { Request } from './request.ts';

interface Properties {
  readonly request: Request;
  /** Whether it still waits. */
  readonly isWaiting: boolean;
  readonly onWritten: (isWritten: boolean) => void;
}

export function ApprovalRequest({ request, isWaiting, onWritten }: Properties) {
  const { postId, connectionSlug, platformId, profileId, approval, content, previousContent } = request;
  const names = useNames();
  const profileName = useProfileNames();
  // The images have their sizes in the post.
  const post = useQuery(useTRPC().posts.get.queryOptions({ postId })).data?.post;
  // Connections of other profiles may have the same slug.
  const connection = useConnections().data?.connections.find((one) =>
    post === undefined ? one.slug === connectionSlug && one.profileId === profileId : one.id === post.connectionId,
  );
  const isRewritten = useRewriteWanted(post?.rewrite, connection) && content.thread.length === 0;
  const images = (post?.media ?? []).map((image) => ({ ...image, altText: image.altText ?? '' }));
  const parts: LookPart[] = [
    { kind: 'Post', text: content.text, pictures: images.length > 0 && <LookPictures images={images} /> },
    ...content.thread.map((reply): LookPart => ({ kind: 'Reply', text: reply })),
    ...(content.firstComment === null ? [] : [{ kind: 'First comment', text: content.firstComment } as const]),
  ];
  return (
    <Panel
      title={`To ${connectionSlug} on ${names.platform(platformId)}`}
      aside={
        <Link to="/compose" search={{ draft: postId }} className="link">
          Edit in Compose
        </Link>
      }
    >
      <p>
        Asked by <b dir="auto">{approval.requestedBy.name}</b> <Moment at={approval.requestedAt} />
        {profileId !== null && (
          <>
            , for <b dir="auto">{profileName(profileId)}</b>
          </>
        )}
        , to go out <PlannedTime plan={approval.plan} />. Expires <Moment at={approval.expiresAt} />.
      </p>
      {approval.reason !== null && (
        <p className="hint">
          <bdi>{approval.reason}</bdi>
        </p>
      )}
      <PostLook
        platformId={platformId}
        slug={connectionSlug}
        description={connection?.description ?? connectionSlug}
        parts={parts}
      />
      {content.media.length > 0 && <AltTexts media={content.media} />}
      {isRewritten && <p className="hint">AI polish rewrites the text when it goes out.</p>}
      {previousContent !== null && previousContent.text !== content.text && (
        <details>
          <summary>What changed since the last request</summary>
          <MarkedWords parts={differenceOf(previousContent.text, content.text)} />
        </details>
      )}
      {!isWaiting && (
        <p role="status">
          This request was decided, has expired or was made again meanwhile. Your words stay here until you leave.
        </p>
      )}
      <Allowed to="owner">
        <Decision request={request} onWritten={onWritten} />
      </Allowed>
    </Panel>
  );
}

/** Whether AI polish applies: by the setting of the post, of its connection, or of the account (docs/contract/profiles-and-keys.md#account). */
function useRewriteWanted(
  ofPost: boolean | null | undefined,
  connection: Pick<Connection, 'rewriteMode'> | undefined,
): boolean {
  const account = useQuery(useTRPC().account.get.queryOptions({})).data?.account;
  if (typeof ofPost === 'boolean') return ofPost;
  return connection?.rewriteMode === 'on' || (connection?.rewriteMode !== 'off' && account?.rewriteDefault === true);
}

function AltTexts({ media }: { media: Request['content']['media'] }) {
  return (
    <ul className="hint" aria-label="Alt texts">
      {media.map(({ id, altText }, index) => (
        <li key={id}>
          Image {index + 1}: <bdi>{altText ?? 'no alt text'}</bdi>
        </li>
      ))}
    </ul>
  );
}

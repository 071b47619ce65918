/** The node: posts, images and connections. */
import { createHash } from 'node:crypto';
import { type ExecuteContext, type Item, type LoadOptionsContext, NodeOperationError } from 'n8n-workflow';
import { callInstall } from './call-install.ts';
import { properties } from './node-properties.ts';

interface Result {
  readonly connectionSlug: string;
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string } | null;
}

type Row = Record<string, unknown>;

/** What an operation does with one input item. @returns the output items for it */
type Operation = (context: ExecuteContext, item: number) => Promise<readonly Row[]>;

/** Most items in a page of a list. */
const PAGE = 100;

export class Carillon {
  readonly description = {
    displayName: 'Carillon',
    name: 'carillon',
    icon: 'file:carillon.svg',
    group: ['output'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Publish and schedule posts on all of your social accounts',
    defaults: { name: 'Carillon' },
    inputs: ['main'],
    outputs: ['main'],
    usableAsTool: true,
    credentials: [{ name: 'carillonApi', required: true }],
    properties,
  };

  readonly methods = {
    loadOptions: {
      async getConnections(this: LoadOptionsContext): Promise<{ name: string; value: string }[]> {
        const call = { method: 'GET', path: '/connections' } as const;
        const { connections } = await callInstall<{
          connections: Record<'slug' | 'description' | 'platformId', string>[];
        }>(this, call);
        return connections.map(({ slug, description, platformId }) => ({
          name: `${description} (${platformId})`,
          value: slug,
        }));
      },
    },
  };

  async execute(this: ExecuteContext): Promise<Item[][]> {
    const output: Item[] = [];
    for (const item of this.getInputData().keys()) {
      const name = `${String(this.getNodeParameter('resource', item))}.${String(this.getNodeParameter('operation', item))}`;
      try {
        const rows = await operations[name]?.(this, item);
        if (rows === undefined)
          throw new NodeOperationError(this.getNode(), `There is no operation ${name}.`, { itemIndex: item });
        output.push(...rows.map((json) => ({ json, pairedItem: { item } })));
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        output.push({ json: { error: (error as Error).message }, pairedItem: { item } });
      }
    }
    return [output];
  }
}

const operations: Readonly<Record<string, Operation>> = {
  'post.create': async (context, item) => {
    const body = postOf(context, item);
    const headers = { 'idempotency-key': keyOf(context, item, body) };
    const call = { method: 'POST', path: '/posts', body, headers } as const;
    const { results } = await callInstall<{ results: readonly (Result & Row)[] }>(context, call, item);
    const failed = results.filter(({ error }) => error !== null);
    const mayFail = context.getNodeParameter('options.mayFail', item, false) === true;
    if (failed.length > 0 && !mayFail) {
      throw new NodeOperationError(context.getNode(), failed.map(inWords).join(' '), {
        itemIndex: item,
        description: `${results.length - failed.length} of ${results.length} connections took the post. "Retry On Fail" posts nothing twice; "Retry" in the list of executions posts there again.`,
      });
    }
    return results;
  },
  'post.validate': async (context, item) => {
    const call = { method: 'POST', path: '/posts/validate', body: postOf(context, item) } as const;
    return (await callInstall<{ results: readonly Row[] }>(context, call, item)).results;
  },
  'post.get': async (context, item) => {
    const call = { method: 'GET', path: `/posts/${idOf(context, item)}` } as const;
    return [(await callInstall<{ post: Row }>(context, call, item)).post];
  },
  'post.getAll': (context, item) => {
    const status = String(context.getNodeParameter('status', item, ''));
    return pages(context, item, { path: '/posts', list: 'posts', query: status === '' ? {} : { status } });
  },
  'post.publish': async (context, item) => {
    const id = idOf(context, item);
    const headers = { 'idempotency-key': keyOf(context, item, id) };
    const call = { method: 'POST', path: `/posts/${id}/publish`, body: {}, headers } as const;
    return [await callInstall<Row>(context, call, item)];
  },
  'post.retry': async (context, item) => {
    const call = { method: 'POST', path: `/posts/${idOf(context, item)}/retry`, body: {} } as const;
    return [await callInstall<Row>(context, call, item)];
  },
  'post.delete': async (context, item) => {
    const ifStatus = String(context.getNodeParameter('ifStatus', item, ''));
    const qs = ifStatus === '' ? {} : { ifStatus };
    const call = { method: 'DELETE', path: `/posts/${idOf(context, item)}`, qs } as const;
    return [await callInstall<Row>(context, call, item)];
  },
  'image.upload': async (context, item) => {
    const property = String(context.getNodeParameter('binaryProperty', item));
    const { mimeType } = context.helpers.assertBinaryData(item, property);
    const altText = String(context.getNodeParameter('altText', item, ''));
    const call = {
      method: 'POST',
      path: '/media',
      qs: altText === '' ? {} : { altText },
      body: await context.helpers.getBinaryDataBuffer(item, property),
      headers: { 'content-type': mimeType },
      json: false,
    } as const;
    const answer = await callInstall<string | { media: Row }>(context, call, item);
    return [(typeof answer === 'string' ? (JSON.parse(answer) as { media: Row }) : answer).media];
  },
  'connection.getAll': (context, item) =>
    pages(context, item, { path: '/connections', list: 'connections', query: {} }),
};

function inWords({ connectionSlug, error }: Result): string {
  return `${connectionSlug}: ${error?.message ?? 'failed'} (${error?.code ?? 'unknown'})`;
}

function idOf(context: ExecuteContext, item: number): string {
  return encodeURIComponent(String(context.getNodeParameter('postId', item)).trim());
}

/** The body of POST /posts, from the parameters of the node. */
function postOf(context: ExecuteContext, item: number): Row {
  const when = context.getNodeParameter('when', item, 'now');
  const options = context.getNodeParameter('options', item, {}) as Row;
  const words = (value: unknown) =>
    String(value ?? '')
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean);
  const thread = (options['thread'] as { replies?: { text: string }[] } | undefined)?.replies ?? [];
  return {
    text: context.getNodeParameter('text', item),
    connectionSlugs: context.getNodeParameter('connections', item),
    ...(when === 'at' && timeOf(context, item)),
    ...(when === 'queue' && { queue: true }),
    ...(when === 'draft' && { isDraft: true }),
    ...(thread.length > 0 && { thread: thread.map(({ text }) => text) }),
    ...(words(options['imageIds']).length > 0 && { mediaIds: words(options['imageIds']) }),
    ...(words(options['tags']).length > 0 && { tags: words(options['tags']) }),
    ...(typeof options['firstComment'] === 'string' &&
      options['firstComment'] !== '' && { firstComment: options['firstComment'] }),
    ...(typeof options['profileId'] === 'string' && options['profileId'] !== '' && { profileId: options['profileId'] }),
  };
}

/** A time without an offset is one in the zone of the workflow. */
function timeOf(context: ExecuteContext, item: number): Row {
  const scheduledFor = String(context.getNodeParameter('scheduledFor', item)).replace(' ', 'T');
  const hasOffset = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(scheduledFor);
  return { scheduledFor, ...(!hasOffset && { timezone: context.getTimezone() }) };
}

/** The same execution, node, item and content have the same key: a further try of n8n posts nothing twice. */
function keyOf(context: ExecuteContext, item: number, content: unknown): string {
  const parts = [context.getExecutionId(), context.getNode().id, item, JSON.stringify(content)];
  return `n8n-${createHash('sha256').update(parts.join('\n')).digest('hex')}`;
}

interface List {
  readonly path: string;
  /** Name of the list in the answer. */
  readonly list: string;
  readonly query: Row;
}

async function pages(context: ExecuteContext, item: number, { path, list, query }: List): Promise<Row[]> {
  const isAll = context.getNodeParameter('returnAll', item, false) === true;
  const most = isAll ? Infinity : Number(context.getNodeParameter('limit', item, 50));
  const rows: Row[] = [];
  let cursor: string | null = null;
  do {
    const qs = { ...query, limit: Math.min(PAGE, most - rows.length), ...(cursor !== null && { cursor }) };
    const page: Row = await callInstall<Row>(context, { method: 'GET', path, qs }, item);
    rows.push(...(page[list] as Row[]));
    cursor = page['nextCursor'] as string | null;
  } while (cursor !== null && rows.length < most);
  return rows;
}

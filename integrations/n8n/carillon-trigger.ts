/** The trigger: a webhook of the install that exists while the workflow is active. */
import { type HookContext, type WebhookAnswer, type WebhookContext } from 'n8n-workflow';
import { verifyWebhook, WebhookVerificationError } from '../../client/verify-webhook.ts';
import { callInstall } from './call-install.ts';
import { TRIGGER_EVENTS } from './trigger-events.ts';

/** Events that were passed on last: a delivery may arrive twice. */
const REMEMBERED = 200;

interface Stored {
  webhookId?: string;
  secret?: string;
  seen?: string[];
}

interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly disabledReason: string | null;
}

export class CarillonTrigger {
  readonly description = {
    displayName: 'Carillon Trigger',
    name: 'carillonTrigger',
    icon: 'file:carillon.svg',
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: 'Starts when a post was sent, failed or was taken down, or a connection changed',
    defaults: { name: 'Carillon Trigger' },
    inputs: [],
    outputs: ['main'],
    credentials: [{ name: 'carillonApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        options: TRIGGER_EVENTS.map(([value, name]) => ({ name, value })),
        default: ['post.sent', 'post.failed'],
        required: true,
      },
    ],
  };

  readonly webhookMethods = {
    default: {
      async checkExists(this: HookContext): Promise<boolean> {
        const { webhookId, secret } = storedIn(this);
        if (webhookId === undefined || secret === undefined) return false;
        const { webhooks } = await callInstall<{ webhooks: Webhook[] }>(this, { method: 'GET', path: '/webhooks' });
        const found = webhooks.find(({ id, url }) => id === webhookId && url === this.getNodeWebhookUrl('default'));
        // n8n was away for so long that the install gave up.
        if (found?.disabledReason === 'failing') {
          const body = { enabled: true };
          await callInstall(this, { method: 'PATCH', path: `/webhooks/${found.id}`, body });
        }
        return found !== undefined;
      },
      async create(this: HookContext): Promise<boolean> {
        const body = {
          url: this.getNodeWebhookUrl('default'),
          events: this.getNodeParameter('events'),
          description: 'n8n',
        };
        const call = { method: 'POST', path: '/webhooks', body } as const;
        const { webhook } = await callInstall<{ webhook: { id: string; secret: string } }>(this, call);
        const stored = storedIn(this);
        stored.webhookId = webhook.id;
        stored.secret = webhook.secret;
        return true;
      },
      async delete(this: HookContext): Promise<boolean> {
        const stored = storedIn(this);
        if (stored.webhookId === undefined) return true;
        try {
          await callInstall(this, { method: 'DELETE', path: `/webhooks/${stored.webhookId}` });
        } catch (error) {
          // Somebody deleted it before.
          if ((error as { httpCode?: string }).httpCode !== '404') return false;
        }
        delete stored.webhookId;
        delete stored.secret;
        return true;
      },
    },
  };

  async webhook(this: WebhookContext): Promise<WebhookAnswer> {
    const stored = storedIn(this);
    const { rawBody, headers } = this.getRequestObject();
    try {
      const event = await verifyWebhook(rawBody, headers, stored.secret ?? '');
      if (stored.seen?.includes(event.eventId) === true) return {};
      stored.seen = [...(stored.seen ?? []), event.eventId].slice(-REMEMBERED);
      return { workflowData: [[{ json: { ...event } }]] };
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      this.getResponseObject().status(400).send(error.message);
      return { noWebhookResponse: true };
    }
  }
}

function storedIn(context: HookContext): Stored {
  return context.getWorkflowStaticData('node');
}

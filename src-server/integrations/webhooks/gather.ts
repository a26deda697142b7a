/**
 * Events become deliveries. The event log itself is the queue that nothing is lost from: how far a webhook has come is kept
 * in the same transaction as the deliveries made, so an end of the site at any point repeats or skips none.
 */
import type { EventRecord, WebhookRecord } from '../../db/index.ts';
import type { Store } from '../../services/index.ts';
import { shownEvent } from '../../study/events.ts';
import { GIVE_UP_AFTER_MS } from '../back-off.ts';

const SLICE = 200;

function wants(webhook: WebhookRecord, event: EventRecord): boolean {
  const wantsAction = webhook.actions.length === 0 || webhook.actions.includes(event.action);
  return wantsAction && (webhook.studyIds.length === 0 || webhook.studyIds.includes(event.studyId));
}

/** Makes the deliveries of a webhook for all events it has not seen yet. */
export async function gatherEvents(store: Store, webhookId: string, clock: () => number): Promise<void> {
  for (;;) {
    const seen = await store.transaction(async ({ webhooks, events, webhookDeliveries }) => {
      const webhook = await webhooks.get(webhookId);
      if (!webhook?.isEnabled) return 0;
      const found = await events.after(webhook.accountId, webhook.eventSequence, SLICE);
      const giveUpTs = clock() + GIVE_UP_AFTER_MS;
      for (const event of found) {
        if (!wants(webhook, event)) continue;
        const body = JSON.stringify(shownEvent(event));
        await webhookDeliveries.add({ webhookId, eventSequence: event.sequence, body, giveUpTs });
      }
      const last = found.at(-1);
      if (last) await webhooks.advance(webhookId, last.sequence);
      return found.length;
    });
    if (seen < SLICE) return;
  }
}

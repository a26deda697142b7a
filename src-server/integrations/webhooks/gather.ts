/**
 * Turns events into deliveries. The event log is the queue: a webhook's position in it is stored in the same transaction as
 * its new deliveries, so a crash at any point neither repeats nor skips an event.
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

/** Adds the deliveries of a webhook for all events after its position. */
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

/** The one idempotent batch of a phone: reports, messages and read receipts, each item with its own outcome. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { z } from 'zod';
import { OutpostError } from '../../../errors.ts';
import type { phoneRoutes } from '../../contract/resources/phone.ts';
import { phoneOutgoingMessage, phoneReport } from '../../contract/resources/phone-items.ts';
import type { ApiDeps } from '../../deps.ts';
import { addressOf } from '../../framework/authenticate.ts';
import { invalidInput } from '../../framework/errors.ts';
import type { Handlers } from '../../framework/mount.ts';
import { type Outcome, outcomeOf, ownerOf, unreadFromTeam } from './phone-calls.ts';
import { recordPhoneContact } from './phone-clocks.ts';
import { markRead, storeMessage } from './phone-messages.ts';
import { storeReport } from './phone-reports.ts';

export function phoneSyncHandlers(deps: ApiDeps): Pick<Handlers<typeof phoneRoutes>, 'syncPhone'> {
  const { store, clock } = deps;
  return {
    syncPhone: async ({ device, body, request, receivedTs }) => {
      const owner = await ownerOf(store, device);
      const { clockTs, batteryPercent } = body;
      const call = { receivedTs, clockTs };
      await store.transaction(
        async (repositories) =>
          await recordPhoneContact(repositories, device, {
            ...{ ...call, batteryPercent, address: addressOf(request) },
            // Reminders are in the language of the texts that the phone shows.
            language: request.get('accept-language')?.split(',')[0]?.trim().slice(0, 20),
          }),
      );
      const reports: Outcome[] = [];
      for (const item of body.reports) {
        reports.push(
          await outcomeOf(item.id, async () => {
            if ('malformed' in item) throw await malformed(phoneReport, item.malformed);
            return await storeReport(store, device, owner, item, call);
          }),
        );
      }
      const messages: Outcome[] = [];
      for (const item of body.messages) {
        messages.push(
          await outcomeOf(item.id, async () => {
            if ('malformed' in item) throw await malformed(phoneOutgoingMessage, item.malformed);
            return await storeMessage(deps, device, owner, item, call);
          }),
        );
      }
      await markRead(deps, owner, body.readIds);
      const unreadMessages = await unreadFromTeam(store, owner.subject.id);
      return { receivedTs, serverTs: clock(), reports, messages, unreadMessages };
    },
  };
}

/** Why an item breaks its schema. A batch may hold hundreds, so other calls go in between. */
async function malformed(schema: z.ZodType, item: unknown): Promise<OutpostError> {
  await nextTurn();
  const { error } = schema.safeParse(item);
  return error ? invalidInput(error) : new OutpostError('INVALID_INPUT', 'The item is not valid.');
}

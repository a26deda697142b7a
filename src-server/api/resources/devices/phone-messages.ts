/** Messages between a subject and the study team, as the subject's phone reads and sends them. */
import { OutpostError } from '../../../errors.ts';
import type { Store } from '../../../services/index.ts';
import type { phoneRoutes } from '../../contract/resources/phone.ts';
import type { BodyOf } from '../../contract/route.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Handlers } from '../../framework/mount.ts';
import { signedUrlOf } from '../../framework/signed-url.ts';
import { type Outcome, type Owner, outcomeOf, ownerOf } from './phone-calls.ts';

type Message = BodyOf<(typeof phoneRoutes)['sendPhoneMessages']>['messages'][number];
type MessageRoute = 'listPhoneMessages' | 'sendPhoneMessages' | 'markPhoneMessagesRead';

export function phoneMessageHandlers(deps: ApiDeps): Pick<Handlers<typeof phoneRoutes>, MessageRoute> {
  const { store, clock } = deps;
  return {
    listPhoneMessages: async ({ device, request }) => {
      const { subject } = await ownerOf(store, device);
      const items = (await store.messages.list(subject.id)).map(({ author, image, ...message }) => ({
        id: message.id,
        from: author.principalType === 'SUBJECT' ? ('SUBJECT' as const) : ('TEAM' as const),
        authorName: author.displayName,
        body: message.body,
        createdTs: message.createdTs,
        isRead: message.isRead,
        ...(message.readTs === undefined ? {} : { readTs: message.readTs }),
        ...(image && {
          image: {
            ...signedUrlOf(deps, request, `/api/v1/files/messages/${message.id}/image`),
            mimeType: image.mimeType,
            sizeBytes: image.sizeBytes,
          },
        }),
      }));
      return { items, size: items.length };
    },
    sendPhoneMessages: async ({ device, body }) => {
      const owner = await ownerOf(store, device);
      const outcomes: Outcome[] = [];
      for (const message of body.messages) {
        outcomes.push(await outcomeOf(message.id, () => postMessage(store, owner, message)));
      }
      return { serverTs: clock(), outcomes };
    },
    markPhoneMessagesRead: async ({ device, body }) => {
      const { subject, change } = await ownerOf(store, device);
      for (const id of body.ids) {
        const message = await store.messages.get(id);
        if (message?.subjectId !== subject.id || message.author.principalType === 'SUBJECT') continue;
        await store.messages.markRead(id, change);
      }
    },
  };
}

/** @throws CONFLICT when another message has the same id */
async function postMessage(
  { messages }: Store,
  { study, subject, change }: Owner,
  { id, body }: Message,
): Promise<Outcome['state']> {
  const known = await messages.get(id);
  if (known?.subjectId === subject.id && known.body === body) return 'KNOWN';
  if (known) {
    throw new OutpostError(
      'CONFLICT',
      'A different message was stored under this id earlier. Send this one under a new id.',
    );
  }
  await messages.post({ id, body, studyId: study.id, subjectId: subject.id }, change);
  return 'STORED';
}

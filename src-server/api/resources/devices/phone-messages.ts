/** Messages between a subject and the study team, as the subject's phone reads and sends them. */
import type { DeviceIdentity, MessageRecord } from '../../../db/index.ts';
import { DAY_MS } from '../../../durations.ts';
import { OutpostError } from '../../../errors.ts';
import { MAX_CLOCK_ERROR_MS } from '../../../study/task-reports.ts';
import type { phoneRoutes } from '../../contract/resources/phone.ts';
import type { PhoneOutgoingMessage } from '../../contract/resources/phone-items.ts';
import type { ApiDeps } from '../../deps.ts';
import type { Handlers } from '../../framework/mount.ts';
import { signedUrlOf } from '../../framework/signed-url.ts';
import { type Outcome, type Owner, outcomeOf, ownerOf } from './phone-calls.ts';
import { type CallTimes, clockOfItem } from './phone-clocks.ts';
import { hasPicture, pictureOf, removePicture, storePicture } from './phone-pictures.ts';

/** More than anybody writes, and little enough that a stolen phone fills neither the disk nor the desk. */
const MOST_MESSAGES_PER_DAY = 300;

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
        ...(message.writtenTs === undefined ? {} : { writtenTs: message.writtenTs }),
        ...(message.problem && { problem: message.problem }),
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
    sendPhoneMessages: async ({ device, body, receivedTs }) => {
      const owner = await ownerOf(store, device);
      const outcomes: Outcome[] = [];
      for (const message of body.messages) {
        outcomes.push(await outcomeOf(message.id, () => storeMessage(deps, device, owner, message, { receivedTs })));
      }
      return { serverTs: clock(), outcomes };
    },
    markPhoneMessagesRead: async ({ device, body }) => {
      await markRead(deps, await ownerOf(store, device), body.ids);
    },
  };
}

/** What a message takes with its entry in the audit, generously. */
const ROW_BYTES = 16 << 10;

/** Marks messages of the team as read by the subject; other ids are ignored. */
export async function markRead({ store }: Pick<ApiDeps, 'store'>, owner: Owner, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const message = await store.messages.get(id);
    if (message?.subjectId !== owner.subject.id || message.author.principalType === 'SUBJECT') continue;
    await store.messages.markRead(id, owner.change);
  }
}

/**
 * Stores a message with its picture, or recognises it.
 * @throws CONFLICT when another message has the same id, INVALID_INPUT
 */
export async function storeMessage(
  deps: Pick<ApiDeps, 'store' | 'imagesDir' | 'disk'>,
  device: DeviceIdentity,
  owner: Owner,
  message: PhoneOutgoingMessage,
  call: CallTimes,
): Promise<Outcome['state']> {
  const { store } = deps;
  const { study, subject, change } = owner;
  const { id, body, problem } = message;
  if (body === '' && message.images.length === 0 && !problem) {
    throw new OutpostError('INVALID_INPUT', 'The message is empty.');
  }
  const bytes = pictureOf(message);
  const known = await store.messages.get(id);
  if (known) return await recognised(deps, owner, known, message, bytes);
  if ((await store.messages.countFromSubject(subject.id, call.receivedTs - DAY_MS)) >= MOST_MESSAGES_PER_DAY) {
    throw new OutpostError(
      'THROTTLED',
      `The site takes ${MOST_MESSAGES_PER_DAY} messages of a subject in a day. The phone keeps this one and sends it later.`,
      { details: { retryAfterSeconds: 3600 } },
    );
  }
  const written = await writtenAt(store, device, message, { ...call, enrolledMs: subject.createdTs });
  // Recordings come first: a phone keeps its messages until there is room.
  if (!bytes) await deps.disk.with(ROW_BYTES, async () => undefined, { user: 'other' });
  const image = bytes && (await storePicture(deps, device, bytes));
  const place = { studyId: study.id, subjectId: subject.id };
  const facts = { id, body, ...place, ...written, ...(problem && { problem }), ...(image && { image }) };
  let isStored = false;
  try {
    const meanwhile = await store.transaction(async ({ messages }) => {
      const first = await messages.get(id);
      if (!first) await messages.post(facts, change);
      return first;
    });
    isStored = meanwhile === undefined;
    return meanwhile ? await recognised(deps, owner, meanwhile, message, bytes) : 'STORED';
  } finally {
    // Refused, or an equal call at the same time was first.
    if (image && !isStored) await removePicture(deps, image);
  }
}

async function recognised(
  deps: Pick<ApiDeps, 'imagesDir'>,
  { subject }: Owner,
  known: MessageRecord,
  { body, problem }: PhoneOutgoingMessage,
  bytes: Buffer | undefined,
): Promise<'KNOWN'> {
  const isSame =
    known.subjectId === subject.id &&
    known.body === body &&
    known.problem?.kind === problem?.kind &&
    known.problem?.sensorSerial === problem?.sensorSerial &&
    (await hasPicture(deps, known, bytes));
  if (isSame) return 'KNOWN';
  throw new OutpostError(
    'CONFLICT',
    'A different message was stored under this id earlier. Send this one under a new id.',
  );
}

/** When the subject wrote a message; absent when the phone did not say, or no correction makes its time possible. */
async function writtenAt(
  store: ApiDeps['store'],
  device: DeviceIdentity,
  { createdTs, clock: claim }: PhoneOutgoingMessage,
  call: CallTimes & { enrolledMs: number },
): Promise<Pick<MessageRecord, 'writtenTs' | 'phoneClock'>> {
  if (createdTs === undefined) return {};
  const clock = claim && (await clockOfItem(store, device, { claim, times: [createdTs] }, call));
  const writtenTs = createdTs + (clock?.offsetMs ?? 0);
  if (writtenTs > call.receivedTs + MAX_CLOCK_ERROR_MS || writtenTs < call.enrolledMs - MAX_CLOCK_ERROR_MS) return {};
  return { writtenTs, ...(clock && { phoneClock: clock }) };
}

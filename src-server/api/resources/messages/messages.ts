/** Messages between staff and subjects, and their images. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConversationRecord, type MessageRecord, newId } from '../../../db/index.ts';
import { OutpostError } from '../../../errors.ts';
import { sha256Hex } from '../../../files/content-hash.ts';
import { writeDurably } from '../../../files/durable-files.ts';
import type { Message } from '../../contract/index.ts';
import type { messageRoutes } from '../../contract/resources/messages.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import { readableStudies } from '../../framework/authorize.ts';
import { notFound } from '../../framework/errors.ts';
import { type Handlers, SENT } from '../../framework/mount.ts';
import { type PagedList, readListPage } from '../../framework/paging.ts';
import { sendFile } from '../../framework/send-file.ts';
import { signedUrlOf } from '../../framework/signed-url.ts';
import { receiveMessage } from './receive.ts';

function pathOf(message: { studyId: string; subjectId: string }, messageId: string): string {
  return `/v1/studies/${message.studyId}/subjects/${message.subjectId}/messages/${messageId}`;
}

function toMessage(message: MessageRecord): Message {
  const { author, image } = message;
  return {
    id: message.id,
    studyId: message.studyId,
    subjectId: message.subjectId,
    author: {
      displayName: author.displayName,
      id: author.id,
      parentId: author.parentId,
      principalType: author.principalType,
    },
    body: message.body,
    createdTs: message.createdTs,
    isRead: message.isRead,
    ...(message.writtenTs !== undefined && { writtenTs: message.writtenTs }),
    ...(message.problem && { problem: message.problem }),
    ...(image
      ? {
          image: {
            href: `${pathOf(message, message.id)}/image`,
            mimeType: image.mimeType,
            sizeBytes: image.sizeBytes,
          },
        }
      : {}),
  };
}

function pagesOf(newest: boolean | undefined): PagedList<MessageRecord> {
  return {
    name: newest ? 'messages-newest' : 'messages',
    key: ['number', 'string'],
    keyOf: ({ createdTs, id }) => [createdTs, id],
  };
}

const CONVERSATION_PAGES: PagedList<ConversationRecord> = {
  name: 'conversations',
  key: ['number', 'string'],
  keyOf: ({ last, subjectId }) => [last.createdTs, subjectId],
};

export function messageHandlers(deps: ApiDeps): Handlers<typeof messageRoutes> {
  const { messages } = deps.store;
  const messageOf = async (params: { subjectId: string; messageId: string }): Promise<MessageRecord> => {
    const message = await messages.get(params.messageId);
    if (message?.subjectId !== params.subjectId) throw notFound('message');
    return message;
  };
  return {
    listMessages: async ({ params, query, request }) => {
      const pages = pagesOf(query.newest);
      const { rows, links } = await readListPage(
        request,
        pages,
        query,
        (keyset) => messages.list(params.subjectId, { keyset, isDescending: query.newest }),
        async (messageId) => pages.keyOf(await messageOf({ ...params, messageId })),
      );
      return { items: rows.map(toMessage), size: rows.length, ...links };
    },
    listUnreadMessages: async ({ caller }) => {
      const studies = await readableStudies(deps, caller);
      const items = (await messages.unread(studies.map(({ id }) => id))).map(toMessage);
      return { items, size: items.length };
    },
    listConversations: async ({ caller, query, request }) => {
      const studyIds = (await readableStudies(deps, caller)).map(({ id }) => id);
      const { rows, links } = await readListPage(request, CONVERSATION_PAGES, query, (keyset) =>
        messages.conversations(studyIds, keyset),
      );
      const items = rows.map(({ last, ...rest }) => ({
        ...rest,
        lastTs: last.createdTs,
        lastMessage: toMessage(last),
      }));
      return { items, size: items.length, unreadCount: await messages.countUnread(studyIds), ...links };
    },
    sendMessage: async ({ params, caller, request }) => {
      const { body, image } = await receiveMessage(request);
      const id = newId();
      const stored = image && {
        file: `${id}.${image.extension}`,
        mimeType: image.mimeType,
        sizeBytes: image.bytes.length,
        sha256: sha256Hex(image.bytes),
      };
      const path = stored && join(deps.imagesDir, stored.file);
      try {
        if (image && path) await deps.disk.with(image.bytes.length, () => writeDurably(path, image.bytes));
        const place = { studyId: params.studyId, subjectId: params.subjectId };
        await messages.post({ id, ...place, body, ...(stored ? { image: stored } : {}) }, changeBy(caller));
      } catch (error) {
        if (path) await rm(path, { force: true });
        throw error;
      }
      return { id, links: [{ href: pathOf(params, id), rel: 'self' }] };
    },
    getMessage: async ({ params }) => toMessage(await messageOf(params)),
    markMessageRead: async ({ params, caller }) => {
      const message = await messageOf(params);
      if (message.author.principalType !== 'SUBJECT') {
        throw new OutpostError('CONFLICT', 'Only the subject can mark this message as read.');
      }
      await messages.markRead(message.id, changeBy(caller));
    },
    getMessageImage: async ({ params, request }) => {
      const message = await messageOf(params);
      if (!message.image) throw notFound('image');
      return signedUrlOf(deps, request, `/api/v1/files/messages/${message.id}/image`);
    },
    downloadMessageImage: async ({ params, response }) => {
      const image = (await messages.get(params.messageId))?.image;
      if (!image) throw notFound('image');
      await sendFile(response, join(deps.imagesDir, image.file), image.mimeType, 'inline');
      return SENT;
    },
  };
}

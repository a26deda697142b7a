/** Templates of messages, and messages to many subjects. */
import type { messageBatchRoutes } from '../../contract/resources/message-batches.ts';
import type { ApiDeps } from '../../deps.ts';
import { changeBy } from '../../framework/authenticate.ts';
import type { Handlers } from '../../framework/mount.ts';

export function messageBatchHandlers(deps: ApiDeps): Handlers<typeof messageBatchRoutes> {
  const { messageBatches } = deps.store;
  return {
    listMessageTemplates: async ({ params }) => {
      const items = await messageBatches.list(params.studyId);
      return { items, size: items.length };
    },
    putMessageTemplate: async ({ params: { studyId, templateId }, body, caller }) => {
      await messageBatches.putTemplate({ id: templateId, studyId, ...body }, changeBy(caller));
    },
    deleteMessageTemplate: async ({ params: { studyId, templateId }, caller }) => {
      await messageBatches.removeTemplate(templateId, studyId, changeBy(caller));
    },
    sendMessages: async ({ params: { studyId }, body: { isPreview, ...batch }, caller }) => {
      const items = isPreview
        ? await messageBatches.judge({ studyId, ...batch })
        : await messageBatches.send({ studyId, ...batch }, changeBy(caller));
      return { items, sent: items.filter(({ outcome }) => outcome === 'SENT').length };
    },
  };
}

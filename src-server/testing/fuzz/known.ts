/** Fills a study with one of everything, so that generated requests meet records that exist. */
import type { Client } from '../../api/contract/client.ts';
import { MASTER_ID, PIPELINE_ID } from '../../api/contract/index.ts';

interface Place {
  accountId: string;
  studyId: string;
  subjectIds: readonly string[];
}

/** Ids and other values that exist, by the name of the parameter that takes them. */
export async function prepareStudy(client: Client, place: Place): Promise<Record<string, readonly string[]>> {
  const { accountId, studyId } = place;
  const subjectId = place.subjectIds[0] as string;
  const params = { studyId, subjectId };
  await client.call('putDefinition', {
    params: { studyId },
    body: {
      activities: [
        {
          displayName: 'Stand up',
          durationSec: 30,
          questions: [{ text: 'Hard?', type: 'BOOLEAN', values: ['YES', 'NO'] }],
        },
      ],
      diaries: [{ displayName: 'Evening', questions: [{ text: 'Pain?', type: 'RANGE', values: ['0', '10'] }] }],
    },
  });
  const { activities, diaries } = await client.call('getStudy', { params: { studyId } });
  const tasks = [
    ...activities.map(({ id }) => ({ taskId: id, type: 'activity' as const, days: 'daily' as const })),
    ...diaries.map(({ id }) => ({ taskId: id, type: 'diary' as const, days: [0, 2] })),
  ];
  await client.call('putDefinition', { params: { studyId }, body: { program: { days: 14, tasks } } });
  await client.call('startStudy', { params: { studyId } });
  await client.call('registerEquipment', { params: { accountId }, body: { id: 'hub-1', type: 'LINK_HUB' } });
  await client.call('assignEquipment', { params: { ...params, equipmentId: 'hub-1' } });
  const message = new FormData();
  message.set('body', 'Hello');
  const { id: messageId } = await client.call('sendMessage', { params, body: message });
  const now = Date.now();
  const { id: annotationId } = await client.call('createLabel', {
    params,
    body: { displayName: 'Here', startTs: now },
  });
  const { id: userId } = await client.call('createUser', {
    body: {
      email: 'fuzz@example.org',
      user: {
        accountId,
        email: 'fuzz@example.org',
        firstName: 'A',
        lastName: 'B',
        locale: 'en_US',
        timezone: 'US/Eastern',
      },
    },
  });
  // Refused without a connection, as it is this computer.
  const { id: webhookId } = await client.call('createWebhook', {
    params: { accountId },
    body: { displayName: 'Fuzz', url: 'http://127.0.0.1:9/' },
  });
  const { id: deliveryId } = await client.call('testWebhook', { params: { accountId, webhookId } });
  const mails = (await client.call('listOutbox', { params: { accountId } })).items;
  const recordings = (await client.call('listStudyRecordings', { params: { studyId } })).items;
  const jobs = (await client.call('listJobs')).items;
  const times = recordings.flatMap(({ recordingStartTs, recordingStopTs }) => [recordingStartTs, recordingStopTs]);
  return {
    accountId: [accountId],
    studyId: [studyId],
    subjectId: place.subjectIds,
    userId: [userId],
    messageId: [messageId],
    annotationId: [annotationId],
    webhookId: [webhookId],
    deliveryId: [deliveryId],
    mailId: mails.map(({ id }) => id),
    recordingId: recordings.map(({ id }) => id),
    jobId: jobs.map(({ id }) => id),
    equipmentId: ['hub-1'],
    udid: recordings.map(({ udid }) => udid),
    deviceId: recordings.map(({ udid }) => udid),
    pipelineId: [PIPELINE_ID],
    masterId: [MASTER_ID],
    date: recordings.map(({ recordingStartTs }) => new Date(recordingStartTs).toISOString().slice(0, 10)),
    from: ['0', String(now), ...times.map(String)],
    to: ['86400000', String(now + 1), ...times.map(String)],
  };
}

/** Adds what the demo site lacks, so that every screen has data. */
import { type Client, createClient } from '../../src-server/api/contract/client.ts';
import type { ScreenIds } from './screens.ts';
import type { ServedDemo } from './sites.ts';
import { addUser, adminClient } from './study.ts';

export interface FilledSite extends ScreenIds {
  monitor: { email: string; password: string };
}

const JOB_POLL_MS = 250;

/** Waits until no job of the site runs or waits. */
async function jobsDone(client: Client): Promise<void> {
  for (;;) {
    const { items } = await client.call('listJobs', { query: { state: ['queued', 'running'] } });
    if (items.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, JOB_POLL_MS));
  }
}

/** Adds people, a study in the making, a webhook and a mail server that do not answer, exports and a backup. */
export async function fillSite(site: ServedDemo): Promise<FilledSite> {
  const { client, accountId } = await adminClient(site);
  const { studyId } = site;
  const { id: subjectId } = site.subjects[0]!;
  const of = { accountId, client };
  const [coordinator, analyst, monitor] = [
    await addUser(of, 'COORDINATOR'),
    await addUser(of, 'ANALYST'),
    await addUser(of, 'MONITOR'),
  ];
  for (const [userId, role] of [
    [coordinator.id, 'COORDINATOR'],
    [monitor.id, 'MONITOR'],
  ] as const) {
    await client.call('setStudyMember', { params: { studyId, userId }, body: { role } });
  }
  await client.call('deleteUser', { params: { accountId, userId: analyst.id } });
  const { id: draftStudyId } = await client.call('createStudy', {
    params: { accountId },
    body: { displayName: 'Sleep at altitude', title: 'Sleep and heart rate variability above 2,500 m: a field study' },
  });
  const { id: emptySubjectId } = await client.call('createSubject', {
    params: { studyId },
    body: { displayName: 'T-01', timezone: 'Europe/Berlin', isTest: true },
  });
  await addNotes(client, { studyId, subjectId }, coordinator.id);
  const day = { target: 'DAY' as const, date: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10) };
  const { id: queryId } = await client.call('openQuery', {
    params: { studyId, subjectId },
    body: { ...day, metric: 'MOVING_STEPS', text: 'No steps in the afternoon: was the sensor taken off?' },
  });
  await client.call('addQueryStep', {
    params: { studyId, queryId },
    body: { kind: 'ANSWER', text: 'It was on the charger from 13:00 to 17:00.' },
  });
  await client.call('openQuery', { params: { studyId, subjectId }, body: { ...day, text: 'Is this a working day?' } });
  await addParticipation(client, { studyId, subjectId });
  await client.call('updateSiteSettings', {
    body: {
      webhooks: { allowLocalTargets: true },
      mail: { host: '127.0.0.1', port: 9, security: 'NONE', from: 'outpost@harbour.example' },
    },
  });
  const webhook = await client.call('createWebhook', {
    params: { accountId },
    body: { displayName: 'Ward board', url: 'http://127.0.0.1:9/hook', actions: ['RECORDING_UPLOADED'] },
  });
  await client.call('testWebhook', { params: { accountId, webhookId: webhook.id } });
  await client.call('sendTestMail', { body: {} });
  await client.call('requestStudyExport', {
    params: { studyId },
    body: { format: 'PARQUET', deidentified: true, subjectIds: [subjectId] },
  });
  await client.call('requestStudyExport', {
    params: { studyId },
    body: { format: 'ARCHIVE', subjectIds: [subjectId] },
  });
  await client.call('createBackup', { body: {} });
  await jobsDone(client);
  const { items: recordings } = await client.call('listSubjectRecordings', { params: { studyId, subjectId } });
  const { items: equipment } = await client.call('listFleet', { params: { accountId } });
  const { deviceConfigs } = await client.call('getStudy', { params: { studyId } });
  const lead = deviceConfigs.find(({ physicalConfig }) => physicalConfig.location === 'ECG_LEAD_II');
  const chest = recordings.find(({ deviceConfigId }) => deviceConfigId === lead?.id);
  const piece = equipment.find(({ type }) => type === 'SENSOR');
  if (!chest || !piece) throw new Error('The demo has no recording of the chest, or no sensor.');
  return {
    studyId,
    draftStudyId,
    subjectId,
    emptySubjectId,
    recordingId: chest.id,
    equipmentId: piece.id,
    webhookId: webhook.id,
    userId: coordinator.id,
    monitor,
  };
}

/** A plan with forms, groups and visits, and a subject who consented, has a group, and came once. */
async function addParticipation(client: Client, params: { studyId: string; subjectId: string }) {
  const { studyId } = params;
  const visit = (id: string, displayName: string, offsetDays: number) => ({
    ...{ id, displayName, anchor: 'ENROLLED' as const, offsetDays, windowBefore: 3, windowAfter: 3 },
    ...{ isOptional: false, isReminded: true },
  });
  const plan = {
    consentForms: [{ version: '1.0', isRequired: true }],
    groups: [
      { id: 'intervention', displayName: 'Intervention' },
      { id: 'control', displayName: 'Control' },
    ],
    strata: [{ id: 'older', displayName: '60 years or more' }],
    visits: [visit('baseline', 'Baseline', 0), visit('week-2', 'Week 2', 14), visit('month-3', 'Month 3', 91)],
  };
  await client.call('setStudyPlan', { params: { studyId }, body: { version: 0, ...plan } });
  const { today, enrolledDate = today } = await client.call('getParticipation', { params });
  const body = new FormData();
  body.set('version', '1.0');
  body.set('date', enrolledDate);
  body.set('document', new Blob(['%PDF-1.7\n%%EOF']), 'Consent.pdf');
  await client.call('addConsent', { params, body });
  await client.call('setSubjectGroup', { params, body: { groupId: 'intervention', stratumId: 'older' } });
  await client.call('setVisit', { params, body: { visitId: 'baseline', state: 'DONE', date: enrolledDate } });
  const date = new Date(Date.parse(enrolledDate) + 13 * 86_400_000).toISOString().slice(0, 10);
  await client.call('setVisit', { params, body: { visitId: 'week-2', state: 'SCHEDULED', date, time: '10:30' } });
}

/** A note that was edited, a call to come back to today, and a note about the study. */
async function addNotes(client: Client, place: { studyId: string; subjectId: string }, assigneeId: string) {
  const { studyId } = place;
  const today = new Date().toISOString().slice(0, 10);
  await client.call('addNote', { params: { studyId }, body: { kind: 'NOTE', body: 'New straps arrive on Thursday.' } });
  const call = {
    kind: 'CALL' as const,
    isReached: false,
    body: 'Asked to call back.',
    followUpDate: today,
    assigneeId,
  };
  await client.call('addSubjectNote', { params: place, body: call });
  const note = { kind: 'NOTE' as const, body: 'Works night shifts until Sunday' };
  const { id: noteId } = await client.call('addSubjectNote', { params: place, body: note });
  await client.call('editNote', {
    params: { studyId, noteId },
    body: { version: 1, body: 'Works night shifts until Sunday; sleeps from about 9:00 to 15:00.' },
  });
}

/** A session as the desk keeps it in the browser. */
export async function sessionText(url: string, who: { email: string; password: string }): Promise<string> {
  const { email, password } = who;
  return JSON.stringify(await createClient({ baseUrl: url }).call('login', { body: { email, password } }));
}

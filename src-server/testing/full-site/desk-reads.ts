/**
 * Every read of the desk, with the queries that its screens send. A test compares the table with the calls in `src-renderer`,
 * so that a new read is measured too.
 */
import { fillPath } from '../../api/contract/addresses.ts';
import { MASTER_ID, PIPELINE_ID } from '../../api/contract/channels.ts';
import { type RouteId, routes } from '../../api/contract/index.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../durations.ts';
import type { FullSite } from './site-folder.ts';

type Value = string | number | boolean | readonly string[];

/**
 * What an answer's size depends on: `window` is the same on every site, `subjects` has a part for each subject of a study, `history`
 * has all days of one subject or device, and `everything` is a download or list without a bound.
 */
export type Shows = 'window' | 'subjects' | 'history' | 'everything';

export interface Read {
  name: string;
  route: RouteId;
  shows: Shows;
  query?: (site: FullSite) => Record<string, Value>;
  /** Differs from those that {@link addressOf} knows. */
  params?: (site: FullSite) => Record<string, string>;
}

const dateOf = (ts: number) => new Date(ts).toISOString().slice(0, 10);
const lastDay = ({ nowTs, days }: FullSite) => ({
  from: nowTs - Math.min(2, days) * DAY_MS,
  to: nowTs - Math.min(1, days - 1) * DAY_MS,
});
const night = (site: FullSite) => ({
  params: { subjectId: site.nightSubjectId, recordingId: site.nightRecordingId },
});

const read = (name: string, route: RouteId, shows: Shows, query?: Read['query'], params?: Read['params']): Read => ({
  name,
  route,
  shows,
  ...(query && { query }),
  ...(params && { params }),
});

export const READS: readonly Read[] = [
  read('status', 'getStatus', 'window'),
  read('site', 'getSite', 'window'),
  read('search', 'search', 'window', () => ({
    text: 'walk',
    kind: ['note', 'message', 'query', 'label', 'answer'],
    limit: 4,
  })),
  read('choice of the daily digest', 'getDigest', 'window'),
  read('sessions of a user', 'listSessions', 'window'),
  read('second factor of a user', 'getSecondFactor', 'window'),
  read('access log of the site', 'listAccountAccess', 'window', () => ({ limit: 100 })),
  read('access log of a study', 'listStudyAccess', 'window', () => ({ limit: 100 })),
  read('access log of a study, one kind', 'listStudyAccess', 'window', () => ({ limit: 100, kind: 'DOWNLOAD' })),
  read('saved filters of a table', 'listSavedFilters', 'window', ({ studyId }) => ({ table: 'subjects', studyId })),
  read('studies list', 'listStudies', 'window', () => ({ summary: true })),
  read('study', 'getStudy', 'subjects'),
  read('definition', 'getDefinition', 'window'),
  read('questionnaires', 'listQuestionnaires', 'window'),
  read('study templates', 'listStudyTemplates', 'window', () => ({ language: 'ja' })),
  read('signatures of a study', 'listSignatures', 'everything'),
  read('signatures of a study, a page', 'listSignatures', 'window', () => ({ limit: 10 })),
  read('signatures of exports, a page', 'listSignatures', 'window', () => ({ kind: 'export', limit: 10 })),
  read('signatures of recordings of a subject, a page', 'listSignatures', 'window', (site) => ({
    kind: 'recording',
    subjectId: site.subjectIds[3] ?? '',
    limit: 10,
  })),
  read('signatures of a day', 'listSignatures', 'window', (site) => ({
    kind: 'subject-day',
    targetId: site.subjectIds[3] ?? '',
    date: dateOf(site.nowTs - 2 * DAY_MS),
  })),
  read('day, as it is signed', 'getSignableContent', 'window', (site) => ({
    kind: 'subject-day',
    targetId: site.subjectIds[3] ?? '',
    date: dateOf(site.nowTs - 2 * DAY_MS),
  })),
  read('subjects list', 'listSubjects', 'subjects'),
  read('subjects list with last data', 'listSubjects', 'subjects', () => ({ summary: true })),
  read('subjects, a page', 'listSubjects', 'window', () => ({ summary: true, limit: 10 })),
  read('subject', 'getSubject', 'history', () => ({ recordings: false })),
  read('subject with recordings', 'getSubject', 'history'),
  read('today, all studies', 'listAttention', 'subjects', () => ({ snoozed: true })),
  read('arrivals', 'listEvents', 'subjects', ({ nowTs }) => ({ from: nowTs - DAY_MS, to: nowTs })),
  read('events of an hour', 'listEvents', 'window', ({ nowTs }) => ({
    from: nowTs - 8 * HOUR_MS,
    to: nowTs - 7 * HOUR_MS,
  })),
  read('coverage', 'listCoverage', 'window'),
  read('why no data', 'getWhyNoData', 'window', (site) => ({ date: dateOf(site.nowTs - DAY_MS) })),
  read('gaps', 'listGaps', 'window', lastDay),
  read('adherence', 'listAdherence', 'everything'),
  read('adherence of 14 days', 'listAdherence', 'subjects', ({ nowTs }) => ({
    fromDate: dateOf(nowTs - 13 * DAY_MS),
    toDate: dateOf(nowTs),
  })),
  read('adherence of 21 days, a page', 'listAdherence', 'window', ({ nowTs }) => ({
    fromDate: dateOf(nowTs - 20 * DAY_MS),
    toDate: dateOf(nowTs),
    limit: 10,
  })),
  read('adherence of a subject', 'listAdherence', 'history', ({ subjectIds }) => ({ subjectId: subjectIds[3] ?? '' })),
  read('program audit', 'listProgramAudit', 'history'),
  read('task reports', 'listTaskReports', 'history'),
  read('program stats', 'listProgramStats', 'everything'),
  read('daily program stats', 'listDailyProgramStats', 'everything'),
  read('fault stats', 'getFaultStats', 'subjects'),
  read('daily recordings', 'listDailyRecordingStats', 'everything'),
  read('daily recordings of 14 days', 'listDailyRecordingStats', 'window', ({ nowTs }) => ({
    fromDate: dateOf(nowTs - 13 * DAY_MS),
    toDate: dateOf(nowTs),
  })),
  read('recordings of the study', 'listStudyRecordings', 'everything'),
  read('recordings of the study, newest page', 'listStudyRecordings', 'window', () => ({ newest: true, limit: 25 })),
  read('recordings of a subject', 'listSubjectRecordings', 'history'),
  read('recordings of a subject, newest page', 'listSubjectRecordings', 'window', () => ({ newest: true, limit: 25 })),
  read('recordings of a subject, one day', 'listSubjectRecordings', 'window', lastDay),
  read('annotations of a subject', 'listAnnotations', 'history'),
  read('annotations of a subject, newest page', 'listAnnotations', 'window', () => ({ newest: true, limit: 25 })),
  read('annotations of a day', 'listAnnotations', 'window', (site) => {
    const { from, to } = lastDay(site);
    return { endFrom: from, to };
  }),
  read('corrections of a day', 'listCorrections', 'window', lastDay),
  read('notes of a study, newest page', 'listNotes', 'window', () => ({ newest: true, limit: 25 })),
  read('calls of a study, newest page', 'listNotes', 'window', () => ({ newest: true, kind: 'CALL', limit: 25 })),
  read('notes of a subject, newest page', 'listSubjectNotes', 'window', () => ({ newest: true, limit: 25 })),
  read('open follow-ups of a study', 'listFollowUps', 'window', () => ({ limit: 25 })),
  read('open follow-ups of a subject', 'listFollowUps', 'window', ({ subjectIds }) => ({
    subjectId: subjectIds[3] ?? '',
    limit: 25,
  })),
  read('queries of a study, newest page', 'listQueries', 'window', () => ({ newest: true, limit: 25 })),
  read('open queries of a study', 'listQueries', 'window', () => ({ state: 'OPEN', newest: true, limit: 25 })),
  read('open queries of a subject', 'listSubjectQueries', 'window', () => ({ state: 'OPEN', limit: 25 })),
  read('counts of queries', 'countQueries', 'subjects'),
  read('quality of 84 days', 'listQuality', 'everything', ({ nowTs }) => ({
    fromDate: dateOf(nowTs - 84 * DAY_MS),
    toDate: dateOf(nowTs),
  })),
  read('quality of 84 days, a page', 'listQuality', 'history', ({ nowTs }) => ({
    fromDate: dateOf(nowTs - 84 * DAY_MS),
    toDate: dateOf(nowTs),
    limit: 10,
  })),
  read('quality of 28 days, a page', 'listQuality', 'window', ({ nowTs }) => ({
    fromDate: dateOf(nowTs - 28 * DAY_MS),
    toDate: dateOf(nowTs),
    limit: 10,
  })),
  read('values of a board of 28 days, a page', 'listDailyValues', 'window', ({ nowTs }) => ({
    name: ['SENSOR_WEAR_DURATION', 'MOVING_STEPS', 'RESTING_AVG_HR'],
    fromDate: dateOf(nowTs - 28 * DAY_MS),
    toDate: dateOf(nowTs),
    limit: 10,
  })),
  read('faults of a study, newest page', 'listFaults', 'window', () => ({ newest: true, limit: 25 })),
  read('faults of a subject, newest page', 'listFaults', 'window', ({ subjectIds }) => ({
    subjectId: subjectIds[3] ?? '',
    newest: true,
    limit: 25,
  })),
  read('board of a study', 'getBoard', 'window'),
  read('values of a board of 84 days', 'listDailyValues', 'everything', ({ nowTs }) => ({
    name: ['SENSOR_WEAR_DURATION', 'MOVING_STEPS', 'RESTING_AVG_HR'],
    fromDate: dateOf(nowTs - 84 * DAY_MS),
    toDate: dateOf(nowTs),
  })),
  read('values of a board of 84 days, a page', 'listDailyValues', 'history', ({ nowTs }) => ({
    name: ['SENSOR_WEAR_DURATION', 'MOVING_STEPS', 'RESTING_AVG_HR'],
    fromDate: dateOf(nowTs - 84 * DAY_MS),
    toDate: dateOf(nowTs),
    limit: 10,
  })),
  read('plan of a study', 'getStudyPlan', 'window'),
  read('status and visits of a subject', 'getParticipation', 'window'),
  read('people of a study', 'listStudyPeople', 'window'),
  read('messages of a subject', 'listMessages', 'history'),
  read('message templates', 'listMessageTemplates', 'window'),
  read('conversations', 'listConversations', 'subjects'),
  read('count of conversations', 'listConversations', 'window', () => ({ limit: 1 })),
  read('metrics of a subject', 'listMetrics', 'history'),
  read('one metric of a subject', 'listMetrics', 'history', () => ({ name: ['SENSOR_WEAR_DURATION'] })),
  read('metrics of a day', 'listMetrics', 'window', ({ nowTs }) => ({
    fromDate: dateOf(nowTs - DAY_MS),
    toDate: dateOf(nowTs - DAY_MS),
  })),
  read('analysis of a study', 'getAnalysis', 'everything'),
  read('analysis runs', 'listAnalysisRuns', 'window'),
  read('channels of a day', 'getChannels', 'window', (site) => ({
    masterId: MASTER_ID,
    ...lastDay(site),
    interval: MINUTE_MS,
  })),
  read('raw data of 10 s', 'getRawData', 'window', ({ nowTs }) => ({
    from: nowTs - 20 * HOUR_MS,
    to: nowTs - 20 * HOUR_MS + 10_000,
  })),
  read('overview of a recording', 'getRecordingOverview', 'window', () => ({ bins: 1500, readable: true })),
  read('beats of a minute', 'getRecordingBeats', 'window', ({ nowTs }) => ({
    from: nowTs - 20 * HOUR_MS,
    to: nowTs - 20 * HOUR_MS + MINUTE_MS,
  })),
  read('fleet', 'listFleet', 'subjects'),
  read('fleet, a page', 'listFleet', 'window', () => ({ limit: 10 })),
  read('fleet item', 'getFleetItem', 'history'),
  read('equipment history', 'getEquipmentHistory', 'window'),
  read('equipment of a subject', 'listEquipment', 'history'),
  read('devices', 'listDevices', 'subjects'),
  read('devices, a page', 'listDevices', 'window', () => ({ limit: 10 })),
  read('device', 'getDevice', 'window'),
  read('refused devices', 'listRefusals', 'window'),
  read('upload progress', 'listUploadProgress', 'subjects'),
  read('uploads under way', 'listUploads', 'window', () => ({
    state: ['RECEIVING', 'RECEIVED', 'QUARANTINED', 'REFUSED', 'REJECTED'],
  })),
  read('jobs', 'listJobs', 'window'),
  read('open and failed jobs', 'listJobs', 'window', () => ({ state: ['queued', 'running', 'failed'], limit: 100 })),
  read('audit page', 'listStudyAudit', 'window', () => ({ limit: 100 })),
  read('audit page of a subject', 'listStudyAudit', 'window', ({ subjectIds }) => ({
    limit: 100,
    subjectId: subjectIds[3] ?? '',
  })),
  read('audit page of the account', 'listAccountAudit', 'window', () => ({ limit: 100 })),
  read('settings', 'getSiteSettings', 'window'),
  read('diagnostics', 'getDiagnostics', 'window'),
  read('users', 'listUsers', 'window'),
  read('user', 'getUser', 'window'),
  read('members', 'listStudyMembers', 'window'),
  read('roles', 'listStudyRoles', 'window'),
  read('exports', 'listStudyExports', 'window'),
  read('what an erasure removes', 'getErasurePreview', 'window'),
  read('copies of a subject', 'listSubjectExports', 'window'),
  read('backups', 'listBackups', 'window'),
  read('backup status', 'getBackupStatus', 'window'),
  read('reading of everything', 'getScrub', 'window'),
  read('webhooks', 'listWebhooks', 'window'),
  read('webhook deliveries', 'listWebhookDeliveries', 'window'),
  read('mail', 'listOutbox', 'everything'),
  read('mail, a page', 'listOutbox', 'window', () => ({ limit: 10 })),
  read('network', 'getNetwork', 'window'),
  read('addresses of phones', 'listPhoneAddresses', 'subjects'),
  read('time zones', 'listTimeZones', 'window'),
  read('metric definitions', 'listMetricDefinitions', 'window'),
];

/** Reads of the desk that need a record which is rare, made on demand, or not of this site; each with the reason. */
export const NOT_MEASURED: Readonly<Record<string, string>> = {
  getJob: 'one row by its key, polled while a job runs',
  getPairing: 'one row by its key, while a device pairs',
  getConsentDocument: 'a signed address of one document',
  getNote: 'one row by its key, with its versions, when somebody opens them',
  getQuery: 'one row by its key, with its steps, when a search leads to it',
  getMessageImage: 'a signed address of one picture',
  getRecordingExport: 'starts a job on first use',
  getStudyExportFile: 'a signed address of one file',
  getSubjectExportFile: 'a signed address of one file',
  getCertificates: 'three certificates, read once from the settings',
  getDocks: 'settings and what is plugged in now',
  listTransfers: 'what is plugged in now, and a bounded list of what was taken',
  getAnalysisRun: 'a run that a person started, with a row per subject',
  compareAnalysisRun: 'the days of a run beside those in use, asked for by a click',
  getComparisonPoints: 'the days of one metric of a run, asked for by a click',
  getDiskUse: 'measured by a worker, asked for by a click',
  planRestore: 'the room on a disk and one backup, asked for by a click',
  listBackupDrives: 'asked of the system',
  listLostFiles: 'looked for by a worker, which compares the sizes of all column files',
};

const NEEDS_NIGHT: readonly RouteId[] = ['getRawData', 'getRecordingOverview', 'getRecordingBeats'];

/** The path and query of a read, below `/api/v1`. */
export function addressOf(read: Read, site: FullSite): string {
  const route = routes[read.route];
  const subjectId = site.subjectIds[3] ?? '';
  const path = fillPath(route.path, {
    accountId: site.accountId,
    userId: site.userId,
    studyId: site.studyId,
    subjectId,
    equipmentId: site.hubIds[3],
    deviceId: site.deviceIds[3],
    webhookId: site.webhookId,
    pipelineId: PIPELINE_ID,
    ...(NEEDS_NIGHT.includes(read.route) && night(site).params),
    ...read.params?.(site),
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(read.query?.(site) ?? {})) {
    for (const one of Array.isArray(value) ? (value as string[]) : [value]) query.append(name, String(one));
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

/** Rows that a study gets once, or every day or week, whatever the number of its subjects. */
import { analysisMethodHash } from '../../analysis-method.ts';
import { ANALYTICS_VERSION } from '../../analytics/version.ts';
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
import { completeParameters } from '../../vocabulary/analysis-parameters.ts';
import type { FullDatabaseSize } from './place.ts';
import { digestOf, idOf, type Rows } from './rows.ts';

/** A disabled webhook, whose past deliveries are kept. */
export function addWebhook(rows: Rows, { accountId, studyId, fromTs }: FullDatabaseSize): string {
  const id = idOf(fromTs, 'webhook', studyId);
  rows.insert('webhook', {
    id,
    accountId,
    displayName: 'Ward board',
    url: 'http://127.0.0.1:9/hook',
    actions: '["RECORDING_UPLOADED"]',
    studyIds: '[]',
    sealedSecret: 'none',
    isEnabled: 0,
    disabledReason: 'Made for a measurement.',
    eventSequence: 0,
    createdTs: fromTs,
    modifiedTs: fromTs,
  });
  return id;
}

export function addMail(rows: Rows, { accountId, fromTs }: FullDatabaseSize, day: number): void {
  const createdTs = fromTs + day * DAY_MS;
  rows.insert('outbox', {
    id: idOf(createdTs, 'mail', accountId),
    accountId,
    recipient: 'admin@example.org',
    subject: 'Yesterday at the site',
    body: 'All well.',
    state: 'sent',
    attempts: 1,
    createdTs,
    sentTs: createdTs,
    queuedTs: createdTs,
  });
}

/** The weekly export of the study, whose file has made room for the next one. */
export function addStudyExport(rows: Rows, { studyId, fromTs }: FullDatabaseSize, day: number): void {
  const requestedTs = fromTs + day * DAY_MS;
  const id = idOf(requestedTs, 'export', studyId);
  rows.insert('studyExport', {
    id,
    studyId,
    format: 'ARCHIVE',
    isDeidentified: 0,
    requestedTs,
    fileName: `${id}.zip`,
    sizeBytes: 1_000_000,
    sha256: digestOf(id),
    finishedTs: requestedTs + MINUTE_MS,
    removedTs: requestedTs + 7 * DAY_MS,
    removedBecause: 'EXPIRED',
  });
}

const ANALYSIS_RUNS = 3;

/** Analysis runs of all subjects, whose results were none: a list of them reads no results. */
export function addAnalysisRuns(
  rows: Rows,
  { studyId, fromTs, days }: FullDatabaseSize,
  subjectIds: readonly string[],
): void {
  const createdTs = fromTs + days * DAY_MS;
  for (let number = 1; number <= ANALYSIS_RUNS; number++) {
    const id = idOf(createdTs, 'analysis run', studyId, number);
    const parameters = completeParameters({ rhythm: { pauseSeconds: 2 + number } });
    rows.insert('analysisRun', {
      id,
      studyId,
      name: `Pauses from ${2 + number} s`,
      reason: 'Made for a measurement.',
      version: ANALYTICS_VERSION,
      parameters: JSON.stringify(parameters),
      methodHash: analysisMethodHash(ANALYTICS_VERSION, parameters),
      isWholeStudy: 1,
      createdTs,
      finishedTs: createdTs + MINUTE_MS,
    });
    for (const subjectId of subjectIds) {
      const storedTs = createdTs + MINUTE_MS;
      rows.insert('analysisRunSubject', { runId: id, subjectId, dataHash: digestOf(subjectId), storedTs });
    }
  }
}

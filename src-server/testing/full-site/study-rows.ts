/** Rows that a study gets once, or every day or week, whatever the number of its subjects. */
import { DAY_MS, MINUTE_MS } from '../../durations.ts';
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

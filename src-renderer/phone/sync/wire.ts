/** Queued items as they are sent. All times of an item are by one clock: that of the moment when it was completed. */
import type { Stamp } from '../clock/epochs.ts';
import type { PhoneClock } from '../clock/phone-clock.ts';
import type { OutboxRecord, ReportContent } from '../store/records.ts';

type Clock = Pick<PhoneClock, 'wallTimeIn' | 'claimAt'>;

/** The text of an item. It is made once and then stored, so that every repetition is the same. */
export function textOf(record: OutboxRecord, clock: Clock): string {
  if (record.kind === 'READ') return JSON.stringify(record.id);
  if (record.kind === 'REPORT') return JSON.stringify({ id: record.id, ...reportTimes(record.report, clock) });
  const { body, created, problem, image } = record.message;
  return JSON.stringify({
    id: record.id,
    body,
    createdTs: created.wallMs,
    clock: clock.claimAt(created),
    ...(problem && { problem }),
    ...(image && { images: [{ ...image, mimeType: 'image/jpeg' }] }),
  });
}

function reportTimes(report: ReportContent, clock: Clock) {
  const { opened, started, stopped, completed, answers, marks, taskId, intendedTs } = report;
  const at = (stamp: Stamp) => Math.max(0, clock.wallTimeIn(stamp, completed.epoch));
  // An estimated offset must not turn the order of events around: the site refuses a stop before its start.
  const startTs = at(started);
  const stopTs = Math.max(startTs, at(stopped));
  return {
    taskId,
    ...(intendedTs !== undefined && { intendedTs }),
    openedTs: Math.min(startTs, at(opened)),
    startTs,
    stopTs,
    completedTs: Math.max(stopTs, completed.wallMs),
    clock: clock.claimAt(completed),
    answers,
    marks: marks.map(({ id, displayName, start, stop }) => ({
      id,
      displayName,
      startTs: at(start),
      stopTs: Math.max(at(start), at(stop)),
    })),
  };
}

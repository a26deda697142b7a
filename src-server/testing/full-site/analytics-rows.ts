/** Analytics of full sites. All writing of them is in {@link AnalyticsRows}, whatever form the store gives to second columns. */
import { ANALYTICS_VERSION } from '../../analytics/index.ts';
import { encodeArrays } from '../../db/array-codec.ts';
import { DAY_MS, HOUR_MS } from '../../durations.ts';
import { type ColumnCells, columnWriter } from '../column-writer.ts';
import { type FullDatabaseSize, type FullSubject, isMissing } from './place.ts';
import { digestOf, type Rows } from './rows.ts';
import { movedDay, type SampleDay } from './sample-days.ts';

/** Subjects take their day from this many sample days on each date, so that a date needs so many encodings. */
const VARIANTS = 4;

export class AnalyticsRows {
  readonly #rows: Rows;
  readonly #size: FullDatabaseSize;
  readonly #samples: readonly SampleDay[];
  readonly #databasePath: string;
  /** Of one date only: a year of encoded columns would be gigabytes. */
  #written = new Map<number, ColumnCells>();
  #writtenDay = -1;

  constructor(rows: Rows, size: FullDatabaseSize, samples: readonly SampleDay[], databasePath: string) {
    this.#rows = rows;
    this.#size = size;
    this.#samples = samples;
    this.#databasePath = databasePath;
  }

  add(subject: FullSubject, day: number): void {
    const { studyId, accountId, fromTs } = this.#size;
    const isRecorded = subject.sensors.some((_, k) => !isMissing(this.#size, subject, k, day));
    if (!isRecorded) return;
    const subjectId = subject.id;
    const dayStartTs = fromTs + day * DAY_MS - subject.offsetMs;
    const startTs = dayStartTs - DAY_MS / 2;
    const date = new Date(fromTs + day * DAY_MS).toISOString().slice(0, 10);
    const variant = subject.index % VARIANTS;
    const moved = movedDay(this.#samples[(day * VARIANTS + variant) % this.#samples.length]!, startTs);
    const computedTs = dayStartTs + 21 * HOUR_MS;
    const computed = {
      inputsHash: digestOf(`${subjectId} ${date}`),
      algorithmVersion: ANALYTICS_VERSION,
      computedTs,
    };
    this.#rows.insert('analyticsWindow', {
      subjectId,
      date,
      startTs,
      stopTs: startTs + DAY_MS,
      timezone: subject.timezone,
      ...this.#columns(day, variant, moved),
      sleep: JSON.stringify(moved.sleep),
      ...computed,
    });
    const dayRow = {
      subjectId,
      date,
      dayStartTs,
      dayStopTs: dayStartTs + DAY_MS,
      timezone: subject.timezone,
      dataStartTs: dayStartTs + 8 * HOUR_MS,
      dataStopTs: dayStartTs + 20 * HOUR_MS,
      ...computed,
    };
    this.#rows.day(dayRow, moved.metrics, moved.validSeconds);
    const place = { studyId, subjectId };
    this.#rows.audit(computedTs, {
      action: 'analytics.store',
      entityType: 'analytics',
      entityId: subjectId,
      ...place,
      changes: { algorithmVersion: { new: ANALYTICS_VERSION }, windows: { new: [date] }, days: { new: [date] } },
    });
    this.#rows.event({
      accountId,
      ...place,
      action: 'METRICS_PROCESSED',
      actualTs: computedTs,
      reportedTs: computedTs,
      referenceId: subjectId,
    });
  }

  #columns(day: number, variant: number, moved: SampleDay): ColumnCells {
    if (this.#writtenDay !== day) this.#written = new Map();
    this.#writtenDay = day;
    const known = this.#written.get(variant);
    if (known) return known;
    const cells = columnWriter(this.#databasePath)(encodeArrays(moved.seconds));
    this.#written.set(variant, cells);
    return cells;
  }
}

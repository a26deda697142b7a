/** Statements on the clocks of recordings: readings by devices, and the corrections of times. */

import { sql } from 'kysely';
import type { SyncPoint } from '../../../study/recording.ts';
import { parseSyncPoints, syncPointText } from '../../sync-point-text.ts';
import { Queries } from '../queries.ts';
import { anyOf } from '../shared.ts';

/** How the times of a recording were corrected; both clocks are kept. Epoch microseconds. */
export interface RecordingClock {
  recordingId: string;
  /** First and last sample by the sensor's own clock. */
  sensorStartUs: number;
  sensorStopUs: number;
  /** Host time minus sensor time at the start. */
  startOffsetUs: number;
  /** How much faster the host's clock runs, parts per million over the recording. */
  driftPpm: number;
  /** The readings that the correction interpolates. */
  knots: SyncPoint[];
  /** Number of outliers among the readings. */
  leftOut: number;
}

/** A reading that a device reported independently of a recording. */
export interface ReportedReading {
  credentialId: string;
  receivedTs: number;
  point: SyncPoint;
}

export class Clocks extends Queries {
  /**
   * Readings of a sensor's clock that devices reported, within a span of its own time (epoch microseconds, inclusive), with the
   * device and time of each report. At most one per device in ten minutes, so their number is bounded by the span.
   */
  async readings(udid: string, span: { fromUs: number; toUs: number }): Promise<ReportedReading[]> {
    const rows = await this.session.db
      .selectFrom('clockSource')
      .innerJoin('clockReading', 'clockReading.sourceId', 'clockSource.id')
      .select(({ fn }) => ['credentialId', 'clockUs', 'hostUs', 'receivedTs', fn.min('roundTripUs').as('roundTripUs')])
      .where('clock', '=', 'SENSOR')
      .where('udid', '=', udid)
      .where('clockUs', '>=', span.fromUs)
      .where('clockUs', '<=', span.toUs)
      // SQLite takes the other columns from the row that has the minimum.
      .groupBy(['credentialId', sql`clockUs / 600000000`])
      .orderBy('clockUs')
      .orderBy('hostUs')
      .execute();
    return rows.map(({ clockUs, hostUs, credentialId, receivedTs }) => ({
      credentialId,
      receivedTs,
      point: { sensorUs: clockUs, hostUs },
    }));
  }

  /** Stores how the clock of a recording was corrected; part of the transaction that adds the recording. */
  async addCorrection(clock: RecordingClock): Promise<void> {
    await this.session.db
      .insertInto('recordingClock')
      .values({ ...clock, knots: syncPointText(clock.knots) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  /** How the clock of a recording was corrected; undefined when its times are the sensor's own. */
  async correctionOf(recordingId: string): Promise<RecordingClock | undefined> {
    const row = await this.session.db
      .selectFrom('recordingClock')
      .selectAll()
      .where('recordingId', '=', recordingId)
      .executeTakeFirst();
    return row && { ...row, knots: parseSyncPoints(row.knots) };
  }

  /** The readings that the corrections of recordings interpolate, by recording. */
  async knotsOf(recordingIds: readonly string[]): Promise<Map<string, SyncPoint[]>> {
    const rows = await this.session.db
      .selectFrom('recordingClock')
      .select(['recordingId', 'knots'])
      .where('recordingId', 'in', anyOf([...recordingIds]))
      .execute();
    return new Map(rows.map(({ recordingId, knots }) => [recordingId, parseSyncPoints(knots)]));
  }
}

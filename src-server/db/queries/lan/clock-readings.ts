/** Statements on sync points of clocks. Routine, so there are no audit rows. */

import { sql } from 'kysely';
import type { InsertOf } from '../../columns.ts';
import type { TABLES } from '../../schema.ts';
import type { Session } from '../../session.ts';
import { Queries } from '../queries.ts';

/** One comparison of two clocks as measured, without any correction. */
export interface ClockReading {
  credentialId: string;
  /** `DEVICE`: the hub's or phone's clock against the site's. `SENSOR`: a sensor's against the hub's or phone's. */
  clock: 'DEVICE' | 'SENSOR';
  /** MAC address of the sensor; absent for the device's own clock. */
  udid?: string;
  /** Reading of the clock, epoch microseconds. */
  clockUs: number;
  /** Reading of the other clock at that moment, in the site's time. */
  hostUs: number;
  /** Duration of the exchange; the error is at most half of it. */
  roundTripUs: number;
  receivedTs: number;
}

/** The correction uses one reading per slot, see `signals/clock/clock-map.ts`. */
const SLOT_US = 600_000_000;
/** Readings of one setting of a device's clock differ by less. */
const SAME_SETTING_US = 60_000_000;
const MOST_SETTINGS_PER_SLOT = 12;
/** Of one clock by one credential: 92 days, the oldest that is accepted, with a reading in each slot, and a margin. */
const MOST_PER_SOURCE = 15_000;

export class ClockReadings extends Queries {
  /**
   * Stores readings. Per device, clock and {@link SLOT_US} only the one with the shortest round trip is kept: more add no information,
   * and a device could fill the disk with them.
   */
  async add(readings: readonly Omit<ClockReading, 'receivedTs'>[]): Promise<void> {
    const best = new Map<string, Omit<ClockReading, 'receivedTs'>>();
    for (const reading of readings) {
      const { credentialId, clock, udid = '', hostUs, roundTripUs } = reading;
      const key = [credentialId, clock, udid, Math.floor(hostUs / SLOT_US)].join(' ');
      if (roundTripUs < (best.get(key)?.roundTripUs ?? Number.POSITIVE_INFINITY)) best.set(key, reading);
    }
    if (best.size === 0) return;
    await this.session.write(async (session) => {
      const receivedTs = session.clock();
      const counts = new Map<number, number>();
      for (const reading of best.values()) {
        const { credentialId, clock, udid = '', clockUs, hostUs, roundTripUs } = reading;
        const slot = Math.floor(hostUs / SLOT_US) * SLOT_US;
        const sourceId = await sourceOf(session, { credentialId, clock, udid });
        const stored = counts.get(sourceId) ?? (await countOf(session, sourceId));
        counts.set(sourceId, stored);
        const inSlot = await session.db
          .selectFrom('clockReading')
          .select(['hostUs', 'clockUs', 'roundTripUs'])
          .where('sourceId', '=', sourceId)
          .where('hostUs', '>=', slot)
          .where('hostUs', '<', slot + SLOT_US)
          .execute();
        // A device whose clock was set within the slot has an offset before and one after.
        const isSameSetting = (one: { hostUs: number; clockUs: number }) =>
          clock === 'SENSOR' || Math.abs(one.hostUs - one.clockUs - (hostUs - clockUs)) < SAME_SETTING_US;
        const known = inSlot.find(isSameSetting);
        if (!known && (inSlot.length >= MOST_SETTINGS_PER_SLOT || stored >= MOST_PER_SOURCE)) continue;
        if (!known) {
          counts.set(sourceId, stored + 1);
          await session.db
            .insertInto('clockReading')
            .values({ sourceId, clockUs, hostUs, roundTripUs, receivedTs })
            .execute();
        } else if (roundTripUs < known.roundTripUs) {
          await session.db
            .updateTable('clockReading')
            .set({ clockUs, hostUs, roundTripUs, receivedTs })
            .where('sourceId', '=', sourceId)
            .where('hostUs', '=', known.hostUs)
            .where('clockUs', '=', known.clockUs)
            .execute();
        }
      }
    });
  }

  /**
   * Deletes readings of before an instant, epoch microseconds. Corrections keep those that they interpolate.
   * @returns how many
   */
  async deleteBefore(hostUs: number): Promise<number> {
    return await this.session.write(async ({ db }) => {
      let deleted = 0;
      // By source, which the primary key begins with: the table has no index over all of them.
      for (const { id } of await db.selectFrom('clockSource').select('id').execute()) {
        const { numDeletedRows } = await db
          .deleteFrom('clockReading')
          .where('sourceId', '=', id)
          .where('hostUs', '<', hostUs)
          .executeTakeFirstOrThrow();
        deleted += Number(numDeletedRows);
      }
      return deleted;
    });
  }

  /** Whether the site ever measured an offset (its time minus the device's) near one. Milliseconds. */
  async hadOffsetNear(credentialId: string, offsetMs: number, toleranceMs: number): Promise<boolean> {
    const found = await this.session.db
      .selectFrom('clockSource')
      .innerJoin('clockReading', 'clockReading.sourceId', 'clockSource.id')
      .select('clockReading.hostUs')
      .where('credentialId', '=', credentialId)
      .where('udid', '=', '')
      .where('clock', '=', 'DEVICE')
      .where(
        sql<boolean>`hostUs - clockUs BETWEEN ${(offsetMs - toleranceMs) * 1000} AND ${(offsetMs + toleranceMs) * 1000}`,
      )
      .limit(1)
      .executeTakeFirst();
    return found !== undefined;
  }

  /** Readings of a sensor's clock between two instants of the host, ascending. */
  async listForSensor(udid: string, fromUs: number, toUs: number): Promise<ClockReading[]> {
    return await this.#list(udid, 'SENSOR', fromUs, toUs);
  }

  /** Readings of a device's own clock, ascending. */
  async listForDevice(credentialId: string, fromUs: number, toUs: number): Promise<ClockReading[]> {
    return (await this.#list('', 'DEVICE', fromUs, toUs)).filter((reading) => reading.credentialId === credentialId);
  }

  async #list(udid: string, clock: ClockReading['clock'], fromUs: number, toUs: number): Promise<ClockReading[]> {
    const rows = await this.session.db
      .selectFrom('clockSource')
      .innerJoin('clockReading', 'clockReading.sourceId', 'clockSource.id')
      .select(['credentialId', 'clockUs', 'hostUs', 'roundTripUs', 'receivedTs'])
      .where('udid', '=', udid)
      .where('clock', '=', clock)
      .where('hostUs', '>=', fromUs)
      .where('hostUs', '<=', toUs)
      .orderBy('hostUs')
      .execute();
    return rows.map((row) => ({ ...row, clock, ...(udid !== '' && { udid }) }));
  }
}

async function countOf({ db }: Session, sourceId: number): Promise<number> {
  const { count } = await db
    .selectFrom('clockReading')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('sourceId', '=', sourceId)
    .executeTakeFirstOrThrow();
  return count;
}

/** The number under which the readings of a device of one clock are stored. */
async function sourceOf(session: Session, source: Omit<InsertOf<typeof TABLES.clockSource>, 'id'>): Promise<number> {
  const { credentialId, clock, udid } = source;
  const known = await session.db
    .selectFrom('clockSource')
    .select('id')
    .where('credentialId', '=', credentialId)
    .where('udid', '=', udid)
    .where('clock', '=', clock)
    .executeTakeFirst();
  if (known) return known.id;
  const added = await session.db.insertInto('clockSource').values(source).returning('id').executeTakeFirstOrThrow();
  return added.id;
}

import type { Session } from '../../session.ts';

/** One comparison of two clocks, as it was measured; nothing is corrected here. */
export interface ClockReading {
  credentialId: string;
  /** `DEVICE`: the hub's or phone's clock against the site's. `SENSOR`: a sensor's against the hub's or phone's. */
  clock: 'DEVICE' | 'SENSOR';
  /** MAC address of the sensor; absent for the device's own clock. */
  udid?: string;
  /** What the clock showed, epoch microseconds by its own account. */
  clockUs: number;
  /** What the other clock showed at that moment. */
  hostUs: number;
  /** How long asking took; the error is at most half of it. */
  roundTripUs: number;
  receivedTs: number;
}

/** Sync points of clocks. Routine, so they are no audit rows. */
export class ClockReadings {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Stores readings; those that are there already stay as they are. */
  async add(readings: readonly Omit<ClockReading, 'receivedTs'>[]): Promise<void> {
    if (readings.length === 0) return;
    await this.#session.write(async (session) => {
      const receivedTs = session.clock();
      for (const reading of readings) {
        await session.db
          .insertInto('clockReading')
          .values({ ...reading, udid: reading.udid ?? '', id: session.newId(), receivedTs })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    });
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
    const rows = await this.#session.db
      .selectFrom('clockReading')
      .selectAll()
      .where('udid', '=', udid)
      .where('clock', '=', clock)
      .where('hostUs', '>=', fromUs)
      .where('hostUs', '<=', toUs)
      .orderBy('hostUs')
      .execute();
    return rows.map(({ id: _, udid: address, ...row }) => ({
      ...row,
      clock,
      ...(address !== '' && { udid: address }),
    }));
  }
}

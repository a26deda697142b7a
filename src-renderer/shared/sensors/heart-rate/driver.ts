/** Any strap of the standard Heart Rate Service: intervals between heartbeats, no signal. */
import { HEART_RATE_MEASUREMENT, HEART_RATE_SERVICE } from '../bluetooth/gatt.ts';
import type { GattSession } from '../bluetooth/session.ts';
import type { DriverEvents, SensorDriver, StreamPlan } from '../driver.ts';
import { SensorProblem } from '../problem.ts';
import type { Timing } from '../timing.ts';
import { readMeasurement } from './measurement.ts';

const PLAN: StreamPlan = {
  stream: 0,
  kind: 'BEATS',
  channel: {
    type: 'RR',
    dimensions: ['rr'],
    unit: 's',
    nominalRateHz: 1,
    scale: [1 / 1024],
    offset: [0],
    sampleBits: 16,
  },
};

export class HeartRateDriver implements SensorDriver {
  readonly kind = 'HEART_RATE';

  async start(session: GattSession, _timing: Timing, events: DriverEvents): Promise<StreamPlan[]> {
    const measurement = await session.find(HEART_RATE_SERVICE, HEART_RATE_MEASUREMENT);
    if (!measurement) {
      throw new SensorProblem('NO_HEART_RATE', 'This device does not offer heart-beat intervals.', true);
    }
    await session.listen(measurement, (bytes) => {
      events.onFrame('HEART_RATE', bytes);
      const read = readMeasurement(bytes);
      if (read) events.onContact(read.hasContact);
    });
    return [PLAN];
  }

  async stop(): Promise<void> {
    // Notifications end with the connection.
  }
}

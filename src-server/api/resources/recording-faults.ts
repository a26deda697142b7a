/** The recordings that faults belong to. Devices report the faults of a sensor without knowing the recording. */
import type { FaultRecord, RecordingTime, ShownRecording } from '../../db/index.ts';
import type { Store } from '../../services/index.ts';
import { addressKeyOf } from '../../study/text.ts';

/** A failing sensor ends its recording, and its fault is noticed up to this much later. */
const FAULT_AFTER_MS = 60_000;

/** Recordings of one sensor by start, each with the latest stop so far, which ends a search for an earlier one. */
interface SensorTimes {
  times: RecordingTime[];
  stopsUntilUs: number[];
}

/** The last recording of the list that was running at the fault. */
function lastAt(sensor: SensorTimes | undefined, faultTs: number, accepts: (one: RecordingTime) => boolean) {
  if (!sensor) return undefined;
  const { times, stopsUntilUs } = sensor;
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]!.startUs / 1000 <= faultTs) low = middle + 1;
    else high = middle;
  }
  for (let i = low - 1; i >= 0 && stopsUntilUs[i]! / 1000 + FAULT_AFTER_MS >= faultTs; i--) {
    const one = times[i]!;
    if (faultTs <= one.stopUs / 1000 + FAULT_AFTER_MS && accepts(one)) return one;
  }
  return undefined;
}

function bySensor(times: readonly RecordingTime[], keyOf: (one: RecordingTime) => string | undefined) {
  const sensors = new Map<string, SensorTimes>();
  for (const one of times) {
    const key = keyOf(one);
    if (key === undefined) continue;
    const sensor = sensors.get(key) ?? { times: [], stopsUntilUs: [] };
    sensor.times.push(one);
    sensor.stopsUntilUs.push(Math.max(one.stopUs, sensor.stopsUntilUs.at(-1) ?? Number.NEGATIVE_INFINITY));
    sensors.set(key, sensor);
  }
  return sensors;
}

/**
 * Returns a look-up of the recording of a fault: the last one by start that was running, of the sensor with that serial
 * number, or where either has none, with that address.
 * @param times by start, then id
 */
export function recordingOfFaults(times: readonly RecordingTime[]): (fault: FaultRecord) => string | undefined {
  const bySerial = bySensor(times, ({ subjectId, equipmentId }) =>
    equipmentId === null ? undefined : `${subjectId} ${equipmentId}`,
  );
  const byAddress = bySensor(times, ({ subjectId, udid }) => `${subjectId} ${addressKeyOf(udid)}`);
  return ({ subjectId, sensorId, equipmentId, faultTs }) => {
    const ofSerial =
      equipmentId === undefined ? undefined : lastAt(bySerial.get(`${subjectId} ${equipmentId}`), faultTs, () => true);
    const ofAddress = lastAt(
      byAddress.get(`${subjectId} ${addressKeyOf(sensorId)}`),
      faultTs,
      (one) => one.equipmentId === null || equipmentId === undefined,
    );
    if (!ofSerial || !ofAddress) return (ofSerial ?? ofAddress)?.id;
    const isLater =
      ofSerial.startUs > ofAddress.startUs || (ofSerial.startUs === ofAddress.startUs && ofSerial.id > ofAddress.id);
    return (isLater ? ofSerial : ofAddress).id;
  };
}

/**
 * Reads the faults of recordings, by recording: those that name it, and those of its sensor within its time.
 * @param isGapless no other recording of their subjects starts between the first and the last of them
 */
export async function faultsOf(
  { faults, recordings }: Pick<Store, 'faults' | 'recordings'>,
  rows: readonly ShownRecording[],
  isGapless = false,
): Promise<Map<string | undefined, FaultRecord[]>> {
  if (rows.length === 0) return new Map();
  const subjectIds = [...new Set(rows.map(({ subjectId }) => subjectId))];
  const found = await faults.listFor(
    rows.map(({ id }) => id),
    subjectIds,
    {
      fromTs: Math.floor(rows.reduce((least, { startUs }) => Math.min(least, startUs), Infinity) / 1000),
      toTs: Math.ceil(rows.reduce((most, { stopUs }) => Math.max(most, stopUs), 0) / 1000) + FAULT_AFTER_MS,
    },
  );
  const open = found.filter(({ recordingId }) => recordingId === undefined);
  const subjectsOfOpen = [...new Set(open.map(({ subjectId }) => subjectId))];
  const lastTs = open.reduce((most, { faultTs }) => Math.max(most, faultTs), 0);
  // A fault may belong to a recording that is not among the rows, such as one of the next page.
  let times: RecordingTime[];
  if (isGapless) {
    // Of recordings that ran at a fault it belongs to the one that started last, so those before the first row do not matter.
    const sorted = rows
      .map(({ id, subjectId, startUs, stopUs, udid, equipmentId = null }) => {
        return { id, subjectId, startUs, stopUs, udid, equipmentId };
      })
      .sort((a, b) => a.startUs - b.startUs || (a.id < b.id ? -1 : 1));
    times = [...sorted, ...(await recordings.timesAfter(subjectsOfOpen, sorted.at(-1)!, lastTs * 1000))];
  } else {
    const firstTs = open.reduce((least, { faultTs }) => Math.min(least, faultTs), Infinity);
    times = await recordings.timesOf(subjectsOfOpen, {
      fromUs: (firstTs - FAULT_AFTER_MS) * 1000,
      toUs: lastTs * 1000,
    });
  }
  const recordingOf = recordingOfFaults(times);
  return Map.groupBy(found, (fault) => fault.recordingId ?? recordingOf(fault));
}

/** `outpost simulate hub`: a simulated hub on the network, for demos and tests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OutpostError } from '../../errors.ts';
import { FaultPlan } from '../../simulator/device/fault-plan.ts';
import { type Delivery, SimulatedHub } from '../../simulator/hub/hub.ts';
import { makeRecordings, type WornSensor } from '../../simulator/hub/recordings-source.ts';
import { answer, formatBytes, say } from '../output.ts';
import { asOutpostError, type DeviceCommand, deviceFolder, faultsOf, inWords, pairing, stopSignal } from './device.ts';

interface HubCommand extends DeviceCommand {
  hours: number;
  seed: number;
  file: string[];
  sensor?: string;
  battery: number;
  every: number;
}

const LOCATIONS = ['ECG_LEAD_II', 'ANTERIOR_THIGH'];

export async function simulateHub(options: HubCommand): Promise<undefined> {
  const faults = faultsOf(options.fault);
  let clockAheadMs = faults.clockAheadMs;
  const clock = () => Date.now() + clockAheadMs;
  const hub = await SimulatedHub.open({
    folder: deviceFolder(options, 'hub'),
    serial: options.serial,
    clock,
    disturb: new FaultPlan(faults).disturb,
    onTrouble: (problem, waitMs) => say(`${inWords(problem)} Retrying in ${(waitMs / 1000).toFixed(1)} s.`),
  });
  const signal = stopSignal();
  try {
    if (!hub.isPaired) {
      await hub.pair(pairing(options), {
        onCheckCode: (code) => say(`Check code ${code}: compare it with the desk and confirm there.`),
        onWrongClock: (siteAheadMs) => {
          say(`The clock was off by ${Math.round(siteAheadMs / 1000)} s and has been set.`);
          clockAheadMs += siteAheadMs;
          return true;
        },
      });
      say(`Paired with ${hub.site?.siteName}.`);
    }
    await collect(hub, options);
    const deliveries: Delivery[] = [];
    for (;;) {
      await hub.contact({ batteryPercent: options.battery });
      await hub.reportManifest();
      const sent = await hub.sendAll({ signal });
      for (const delivery of sent) report(delivery);
      deliveries.push(...sent);
      if (sent.length > 0) await hub.reportManifest();
      if (options.once) break;
      await sleep(options.every * 1000, undefined, { signal });
    }
    if (options.json) {
      answer({
        siteId: hub.site?.siteId,
        sentBytes: hub.sentBytes,
        recordings: deliveries,
        held: hub.recordings.length,
      });
    } else answer(`${deliveries.length} recordings, ${formatBytes(hub.sentBytes)} sent.`);
  } catch (thrown) {
    if (!signal.aborted) throw asOutpostError(thrown);
  } finally {
    hub.close();
  }
  return undefined;
}

/** Takes the given files, or generates recordings of the assigned sensors. */
async function collect(hub: SimulatedHub, options: HubCommand): Promise<void> {
  const assignments = await hub.assignments();
  const served = assignments.flatMap((assignment) => assignment.sensors.map((sensor) => ({ assignment, sensor })));
  for (const path of options.file) {
    const serial = options.sensor ?? served[0]?.sensor.serial;
    if (serial === undefined)
      throw new OutpostError('INVALID_INPUT', 'No sensor is handed out. Name one with --sensor.');
    await hub.takeRecording(path, serial);
  }
  if (options.hours <= 0 || options.file.length > 0) return;
  if (hub.recordings.length > 0) {
    say(`${hub.recordings.length} earlier recordings have not been sent yet and are sent first.`);
    return;
  }
  for (const [index, assignment] of assignments.entries()) {
    const sensors = assignment.sensors.slice(0, LOCATIONS.length).map(
      (sensor, place): WornSensor => ({
        serial: sensor.serial,
        udid: sensor.udid ?? '',
        location: LOCATIONS[place] ?? '',
      }),
    );
    if (sensors.length === 0) continue;
    say(`Recording ${options.hours} h with ${sensors.length} sensors.`);
    await makeRecordings(
      deviceFolder(options, 'hub'),
      { sensors, hours: options.hours, stopMs: Date.now(), timeZone: assignment.timezone, seed: options.seed + index },
      async ({ path, sensor }) => {
        await hub.takeRecording(path, sensor);
      },
    );
  }
}

function report(delivery: Delivery): void {
  if (delivery.state === 'DELIVERED') say(`${delivery.recordingId}: ${delivery.siteState}`);
  else say(`${delivery.recordingId}: refused permanently, ${delivery.code}: ${delivery.message}`);
}

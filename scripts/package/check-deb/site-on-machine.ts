/** A site on a clean machine, as the checks of packages use it: its log, its address, what it answers, and a recording for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HOUR_MS } from '../../../src-server/durations.ts';
import { simulateSubject } from '../../../src-server/simulator/physiology/subject.ts';
import { writeSimulatedRecording } from '../../../src-server/simulator/physiology/write.ts';
import type { Machine } from './clean-machine.ts';

const CLIENT = fileURLToPath(new URL('./use-site.ts', import.meta.url));
const READY_TIMEOUT_MS = 60_000;

const startMs = performance.now();
export const say = (text: string) =>
  process.stderr.write(`${((performance.now() - startMs) / 1000).toFixed(0).padStart(4)} s  ${text}\n`);

/** Finds a line of the service's log that was written after the newest start. */
export async function logged(machine: Machine, pattern: RegExp): Promise<string> {
  for (let waitedMs = 0; waitedMs < READY_TIMEOUT_MS; waitedMs += 200) {
    const id = (await machine.do('systemctl show outpost --property=InvocationID --value')).trim();
    const log = await machine.do(`journalctl --quiet --output=cat _SYSTEMD_INVOCATION_ID=${id}`);
    const [found] = pattern.exec(log) ?? [];
    if (found) return found;
    await sleep(200);
  }
  throw new Error(`The service did not log ${pattern}: ${await machine.do('journalctl --quiet --unit=outpost')}`);
}

export const siteUrl = async (machine: Machine): Promise<string> =>
  (await logged(machine, /(?<="url":")http:[^"]+(?=")/)).replace(/\/$/, '');

export const client = (machine: Machine, ...parameters: string[]) =>
  machine.fromHost(process.execPath, CLIENT, ...parameters);
export const readAll = async (machine: Machine) => client(machine, 'read', await siteUrl(machine));

export async function makeRecording(folder: string): Promise<string> {
  const firstMs = Date.UTC(2024, 4, 14, 14);
  const span = { startMs: firstMs, stopMs: firstMs + 2 * HOUR_MS };
  const { recordings } = simulateSubject({ seed: 1, timeZone: 'UTC', ...span, dailyCharging: false });
  const chest = recordings.find(({ header }) => header.physicalConfig.location === 'MEDIAL_CHEST');
  return (await writeSimulatedRecording(folder, chest!)).path;
}

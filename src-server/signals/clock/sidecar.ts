/**
 * The file `<recording>.clock` beside a signal file: how the sensor's clock maps to the host's. Signal files keep the
 * sensor's own times and never change; every reader applies this map. recording-format.md, section 10.
 */
import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { crc32c } from '@node-rs/crc32';
import { z } from 'zod';
import { OutpostError } from '../../errors.ts';
import { writeDurably } from '../../files/durable-files.ts';
import type { ClockMap } from './clock-map.ts';

const safeInteger = z.int();
const sidecarSchema = z.object({
  version: z.literal(1),
  knots: z.array(z.tuple([safeInteger, safeInteger])).min(1),
  outerSlope: z.number().min(0.9).max(1.1),
  crc32c: z.int(),
});

/** Path of a signal file's clock map. */
export function clockPath(signalPath: string): string {
  return `${signalPath.replace(/\.sig$/, '')}.clock`;
}

function sumOf(knots: readonly (readonly [number, number])[], outerSlope: number): number {
  return sumOfText(JSON.stringify(knots), JSON.stringify(outerSlope));
}

const sumOfText = (knots: string, outerSlope: string) => crc32c(`[${knots},${outerSlope}]`);

/** The content of the file. Every backup makes that of all corrected recordings, so the readings become text once. */
export function clockMapText(map: ClockMap): string {
  const knots = JSON.stringify(map.knots.map(({ sensorUs, hostUs }) => [sensorUs, hostUs]));
  const outerSlope = JSON.stringify(map.outerSlope);
  return `{"version":1,"knots":${knots},"outerSlope":${outerSlope},"crc32c":${sumOfText(knots, outerSlope)}}\n`;
}

/** Writes the map durably. Must precede the recording's row, whose times depend on it. */
export async function writeClockMap(path: string, map: ClockMap): Promise<void> {
  await writeDurably(path, clockMapText(map));
}

function parse(text: string, path: string): ClockMap {
  let parsed: z.infer<typeof sidecarSchema>;
  try {
    parsed = sidecarSchema.parse(JSON.parse(text));
    if (parsed.crc32c !== sumOf(parsed.knots, parsed.outerSlope)) throw new Error('its sum is wrong');
  } catch (cause) {
    // Ignoring it would silently make every time wrong.
    throw new OutpostError(
      'SIGNAL_FILE_DAMAGED',
      `${path} is damaged, so the times of its recording are not known. Put it back from a backup.`,
      { cause },
    );
  }
  return {
    knots: parsed.knots.map(([sensorUs, hostUs]) => ({ sensorUs, hostUs })),
    outerSlope: parsed.outerSlope,
  };
}

/** True when the file holds this map and nothing else: one read, a tenth of the time of parsing it. False when it cannot be read. */
export function holdsClockMap(path: string, map: ClockMap): boolean {
  try {
    return readFileSync(path, 'utf8') === clockMapText(map);
  } catch {
    return false;
  }
}

const isAbsent = (thrown: unknown): boolean => (thrown as NodeJS.ErrnoException).code === 'ENOENT';

/** The clock map of a signal file; null when its times need no correction. @throws SIGNAL_FILE_DAMAGED */
export async function readClockMap(signalPath: string): Promise<ClockMap | null> {
  const path = clockPath(signalPath);
  try {
    return parse(await readFile(path, 'utf8'), path);
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw thrown;
  }
}

/** The same with blocking reads, for worker and child processes. */
export function readClockMapSync(signalPath: string): ClockMap | null {
  const path = clockPath(signalPath);
  // Most recordings have none, and an error costs ten times as much as the question.
  if (!existsSync(path)) return null;
  try {
    return parse(readFileSync(path, 'utf8'), path);
  } catch (thrown) {
    if (isAbsent(thrown)) return null;
    throw thrown;
  }
}

/** Axivity CWA files (AX3, AX6) as recordings: acceleration, with rotation and magnetic field where recorded, and the slow channels. */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { SignalChannel, SignalPage } from '../../signals/types.ts';
import { startOfWallClock, wallClockOf } from '../local-time.ts';
import { makeHeader } from '../recording-header.ts';
import { damaged, empty } from '../refusals.ts';
import { fileSize, readHead, sourceHash } from '../source-bytes.ts';
import type { ImportedRecording, ImportOptions, ImportSource } from '../types.ts';
import { BLOCK_BYTES, HEADER_BYTES } from './cwa.ts';
import type { CwaBlock } from './cwa-block.ts';
import { firstBlockOf, walkBlocks } from './cwa-blocks.ts';
import { parseCwaHeader } from './cwa-header.ts';
import { type CwaDamage, CwaPages } from './cwa-pages.ts';
import { wholeSecondTimes } from './whole-second-times.ts';

export async function openAxivity(path: string, options: ImportOptions): Promise<ImportSource> {
  const sizeBytes = await fileSize(path);
  const header = parseCwaHeader(await readHead(path, HEADER_BYTES));
  if (header && sizeBytes <= HEADER_BYTES) {
    throw empty(path, 'the device was set up and holds no data. It may not have started yet.');
  }
  const handle = await open(path, 'r');
  try {
    const file = { handle, sizeBytes, signal: options.signal };
    const first = await firstBlockOf(file, header?.device.session);
    if (!first) throw damaged(path, 'none of its blocks is whole.');
    const { block, periodUs, isSummed } = first;
    const sha256 = options.withoutHash ? '' : await sourceHash([path], options.signal);
    const notes: string[] = [];
    if (!header) notes.push('The header of the file is damaged, so its device is not known.');
    const { startUs, clock } = startOfWallClock(wallClockOf(block.timeUs), options, notes);
    const channels = channelsOf(block);
    const pages = new CwaPages({
      axes: block.axes,
      accelPerG: block.accelPerG,
      gyroRangeDps: block.gyroRangeDps,
      session: block.session,
      rateHz: block.rateHz,
      periodUs,
      first: { sequence: block.sequence, timeUs: block.timeUs },
      toUtcUs: startUs - Math.round(block.timeUs),
    });
    let doneBytes = 0;
    async function* readPages(): AsyncGenerator<SignalPage> {
      const times = isSummed ? null : await wholeSecondTimes({ ...file, isSummed });
      let blocks = 0;
      const take: typeof pages.take = (bytes, at, found, skippedBytes) => {
        if (times === null) return pages.take(bytes, at, found, skippedBytes);
        return pages.take(bytes, at, { ...found, timeUs: times[blocks++]!, isFine: true }, skippedBytes);
      };
      const walk = walkBlocks({ ...file, isSummed }, take, (done) => {
        doneBytes = done;
      });
      let step = await walk.next();
      for (; !step.done; step = await walk.next()) yield* step.value;
      yield* pages.end(step.value);
      notes.push(...damageNotes(pages.damage));
    }
    const device = header?.device ?? { maker: 'Axivity' as const };
    const recording: ImportedRecording = {
      header: makeHeader(
        {
          channels,
          source: { format: 'Axivity CWA', fileName: basename(path), sha256 },
          location: header?.location,
          side: header?.side,
          // The blocks have checksums, the header has none.
          device: { ...device, session: block.session },
        },
        options,
      ),
      pages: readPages,
      hasOwnArrays: true,
      labels: [],
      marks: pages.marks,
      notes,
      progress: () => ({ doneBytes, totalBytes: sizeBytes }),
    };
    return { format: 'Axivity CWA', clock, recordings: [recording], labels: [], close: () => handle.close() };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

function channelsOf({ axes, rateHz, accelPerG, gyroRangeDps, count }: CwaBlock): SignalChannel[] {
  const spatial = (type: string, unit: string, scale: number): SignalChannel => ({
    type,
    dimensions: ['x', 'y', 'z'],
    unit,
    nominalRateHz: rateHz,
    scale: [scale, scale, scale],
    offset: [0, 0, 0],
    sampleBits: 16,
  });
  const slow = (type: string, unit: string, scale: number, offset: number): SignalChannel => ({
    type,
    dimensions: ['v'],
    unit,
    nominalRateHz: Number((rateHz / count).toPrecision(6)),
    scale: [scale],
    offset: [offset],
    sampleBits: 16,
  });
  return [
    spatial('ACCEL', 'g', 1 / accelPerG),
    ...(axes >= 6 ? [spatial('GYRO', 'dps', gyroRangeDps / 32_768)] : []),
    ...(axes === 9 ? [spatial('MAGNETOMETER', 'uT', 1 / 16)] : []),
    slow('TEMPERATURE', 'degC', 75 / 256, -50),
    slow('LIGHT', 'adu', 1, 0),
    // As the firmware has it: a 10-bit reading of a 6 V scale, less 512, in one byte.
    slow('BATTERY', 'V', 6 / 1024, 3),
  ];
}

function damageNotes(damage: CwaDamage): string[] {
  const notes: string[] = [];
  const note = (n: number, one: string, several: string): void => {
    if (n > 0) notes.push(n === 1 ? `1 block ${one}` : `${n} blocks ${several}`);
  };
  const { damagedBytes } = damage;
  const bytes = `(${damagedBytes} bytes)`;
  note(
    Math.ceil(damagedBytes / BLOCK_BYTES),
    `${bytes} was damaged or cut off and was left out.`,
    `${bytes} were damaged or cut off and were left out.`,
  );
  note(damage.missingBlocks, "is missing by the device's count.", "are missing by the device's count.");
  note(
    damage.otherSession,
    'belongs to another session of the device and was left out.',
    'belong to another session of the device and were left out.',
  );
  note(
    damage.otherSettings,
    'was recorded with other ranges or axes and was left out.',
    'were recorded with other ranges or axes and were left out.',
  );
  note(
    damage.overlapping,
    'repeats times that were read before and was left out.',
    'repeat times that were read before and were left out.',
  );
  note(
    damage.strayed,
    'states a time that the blocks around it contradict and was left out.',
    'state times that the blocks around them contradict and were left out.',
  );
  if (damage.gaps > 0) {
    notes.push(`The recording has ${damage.gaps === 1 ? '1 gap' : `${damage.gaps} gaps`}; nothing was filled in.`);
  }
  return notes;
}

import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { recogniseFile } from '../importers/recognition/recognise.ts';
import type { Store } from '../services/index.ts';
import type { Recognition } from '../study/recognition.ts';
import type { CsvTemplate } from '../vocabulary/csv-mapping.ts';
import { answer } from './output.ts';

const PART_BYTES = 256 * 1024;

interface Recognised {
  file: string;
  recognition: Recognition;
  /** Display name of the equipment with this serial number; absent when the register has none. */
  equipment?: string;
  /** Who holds it. */
  holder?: string;
}

interface Place {
  store: Store;
  accountId: string;
  templates: CsvTemplate[];
  /** Zone in which a wall clock is read. */
  timeZone: string;
}

/** `outpost import --recognise`: says what files are from their first bytes; imports nothing. */
export async function recogniseFiles(paths: string[], place: Place, json: boolean): Promise<void> {
  const found: Recognised[] = [];
  for (const path of paths) found.push(await recognisePath(path, place));
  if (json) answer({ files: found });
  else for (const one of found) answer(sentences(one, place.timeZone).join('\n'));
}

async function recognisePath(path: string, { store, accountId, templates, timeZone }: Place): Promise<Recognised> {
  const { size, isFolder } = await stat(path).then((found) => ({ size: found.size, isFolder: found.isDirectory() }));
  if (isFolder) {
    const message = 'A folder is recognised when it is imported. Name a file in it.';
    return {
      file: path,
      recognition: { channels: [], recordings: 0, problem: { code: 'UNSUPPORTED_FORMAT', message } },
    };
  }
  const head = await partOf(path, 0, Math.min(size, PART_BYTES));
  const tail = size > PART_BYTES ? await partOf(path, Math.max(PART_BYTES, size - PART_BYTES), size) : undefined;
  const recognition = await recogniseFile({
    directory: join(tmpdir(), `outpost-recognise-${randomUUID()}`),
    fileName: basename(path),
    sizeBytes: size,
    head,
    ...(tail && { tail }),
    timeZone,
    templates,
  });
  const serial = recognition.device?.serial;
  const item = serial === undefined ? undefined : await store.equipment.findBySerial(accountId, serial);
  const holder = item?.holder && (await store.subjects.get(item.holder.subjectId));
  return {
    file: path,
    recognition,
    ...(item && { equipment: item.displayName }),
    ...(holder && { holder: holder.displayName }),
  };
}

async function partOf(path: string, from: number, to: number): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const bytes = new Uint8Array(to - from);
    const { bytesRead } = await file.read(bytes, 0, bytes.byteLength, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

const CLOCKS = {
  UTC: () => 'in UTC',
  OFFSET_IN_FILE: () => 'with the UTC offset in the file',
  WALL_CLOCK: (timeZone: string) => `local time without a zone, read in ${timeZone} (--time-zone changes it)`,
};

function sentences({ file, recognition, equipment, holder }: Recognised, timeZone: string): string[] {
  const { format, clock, startMs, device, channels, text, problem } = recognition;
  const name = format ?? (text ? 'delimited text without a reader' : 'unknown format');
  const lines = [`${file}: ${name}`];
  if (clock) {
    const start = clock.wallStart ?? (startMs === undefined ? '' : new Date(startMs).toISOString());
    lines.push(`  clock: ${[start, CLOCKS[clock.kind](timeZone)].filter(Boolean).join(', ')}`);
  }
  if (device) {
    const facts = [device.maker, device.model, device.serial && `serial ${device.serial}`].filter(Boolean);
    if (facts.length > 0) lines.push(`  device: ${facts.join(', ')}`);
    if (device.serial) {
      const known = equipment === undefined ? 'not in the register' : `registered as ${equipment}`;
      lines.push(`  register: ${known}${holder === undefined ? '' : `, held by ${holder}`}`);
    }
    if (device.subjectCode) lines.push(`  subject code in the file: ${device.subjectCode} (for comparison only)`);
  }
  for (const { type, dimensions, unit, nominalRateHz } of channels) {
    lines.push(`  channel: ${type} (${dimensions.join(', ')}), ${unit}, ${nominalRateHz} Hz`);
  }
  if (text) {
    lines.push(`  columns: ${text.columns.join(' | ') || 'without names'}`);
    if (text.templateId) lines.push('  A template of the study has this header: the import reads the file by it.');
    else
      lines.push(
        '  No template of the study has this header. Map its columns in the desk, and save them as a template.',
      );
  }
  if (problem) lines.push(`  problem: ${problem.message}`);
  return lines;
}

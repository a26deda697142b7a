/**
 * Measures the memory of an import. As a program: reads a file through the importer, drops the pages, and prints
 * `{growthBytes, seconds, samples}`. As a module: makes large files and runs that program on them.
 */
import { execFile } from 'node:child_process';
import { open, truncate } from 'node:fs/promises';
import { argv, execPath, memoryUsage, resourceUsage, stdout } from 'node:process';
import { promisify } from 'node:util';
import { encodeEdfHeader } from '../exporters/edf/file-writer.ts';
import { openImport } from '../importers/index.ts';

export interface ImportCost {
  /** Peak resident memory less that of the loaded program. */
  growthBytes: number;
  seconds: number;
  samples: number;
}

const run = promisify(execFile);

/** Imports a file in a process of its own. */
export async function measureImport(path: string): Promise<ImportCost> {
  const { stdout: text } = await run(execPath, [import.meta.filename, path]);
  return JSON.parse(text) as ImportCost;
}

/** Writes an acceleration CSV as a sensor gives it, at least `bytes` long: 250 Hz with jitter, 32 g over 65,535 steps. */
export async function writeLargeCsv(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'wx');
  const values = Array.from({ length: 65_536 }, (_, n) => `${(n / 65_535) * 32 - 16}`);
  let time = 1_579_647_012_385_345;
  let written = 0;
  let text = 'Timestamp (microseconds),Accel X (g),Accel Y (g),Accel Z (g)\n';
  for (let i = 0; written < bytes; i++) {
    time += 4077 + (i % 7) - 3;
    text += `${time},${values[(i * 31) & 0xffff]},${values[(i * 17) & 0xffff]},${values[(i * 7) & 0xffff]}\n`;
    if (text.length > 1 << 20) {
      written += (await file.write(text)).bytesWritten;
      text = '';
    }
  }
  await file.write(text);
  await file.close();
}

/** Writes an EDF+C of two signals whose samples are a hole in the file: all zero, `bytes` long to the sample. */
export async function writeLargeEdf(path: string, bytes: number): Promise<void> {
  const signal = {
    transducer: '',
    physicalMinimum: -8,
    physicalMaximum: 8,
    digitalMinimum: -32_768,
    digitalMaximum: 32_767,
    prefilter: '',
  };
  const recordBytes = 2 * (1000 + 250) + 64;
  const recordCount = Math.floor(bytes / recordBytes);
  const header = encodeEdfHeader({
    bytesPerSample: 2,
    isDiscontinuous: false,
    startSecondMs: Date.UTC(2024, 0, 1),
    patient: 'X X X X',
    recording: 'X X X',
    recordCount,
    recordDurationUs: 1e6,
    signals: [
      { ...signal, label: 'ECG', unit: 'mV', samplesPerRecord: 1000 },
      { ...signal, label: 'Accel X', unit: 'g', samplesPerRecord: 250 },
    ],
    annotationBytes: 64,
  });
  const file = await open(path, 'wx');
  await file.write(header);
  await file.close();
  await truncate(path, header.length + recordCount * recordBytes);
}

async function importAndDrop(path: string): Promise<ImportCost> {
  const before = memoryUsage().rss;
  const started = performance.now();
  const source = await openImport([path]);
  let samples = 0;
  for (const recording of source.recordings) {
    for await (const page of recording.pages()) samples += page.count * page.columns.length;
  }
  await source.close();
  const seconds = (performance.now() - started) / 1000;
  return { growthBytes: resourceUsage().maxRSS * 1024 - before, seconds, samples };
}

if (argv[1] === import.meta.filename) stdout.write(JSON.stringify(await importAndDrop(argv[2]!)));

/** Real recordings as sample columns, for tests and benches of signal files. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { realData } from './real-data.ts';

export interface RealSignal {
  name: string;
  rateHz: number;
  /** One column per dimension. */
  columns: Int16Array[];
}

function readInt16(path: string): Int16Array {
  return new Int16Array(new Uint8Array(gunzipSync(readFileSync(path))).buffer);
}

function splitAxes(interleaved: Int16Array): Int16Array[] {
  const count = Math.floor(interleaved.length / 3);
  return [0, 1, 2].map((axis) => Int16Array.from({ length: count }, (_, i) => interleaved[3 * i + axis]!));
}

/** ECG records whose name begins with `prefix`; empty without the data. */
export function realEcg(prefix: string): RealSignal[] {
  const folder = realData('ecg');
  if (folder === null) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
    .map((name) => {
      const { fs, file } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { fs: number; file: string };
      return { name: name.replace('.json', ''), rateHz: fs, columns: [readInt16(join(folder, file))] };
    });
}

/** All sites of all recordings of one motion folder; empty without the data. */
export function realMotion(dataset: string): RealSignal[] {
  const folder = realData(join('motion', dataset));
  if (folder === null) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const description = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
        fs: number;
        sites: Record<string, { file: string }>;
      };
      return Object.entries(description.sites).map(([site, { file }]) => ({
        name: `${name.replace('.json', '')} ${site}`,
        rateHz: description.fs,
        columns: splitAxes(readInt16(join(folder, file))),
      }));
    });
}

/** The two wrist accelerometers of an MC10 export as 16-bit counts (+-16 g over 65,535 steps); empty without the data. */
export function realWrist(): RealSignal[] {
  return ['wrist-left', 'wrist-right'].flatMap((name) => {
    const path = realData(join('formats/mc10', name, 'accel.csv.gz'));
    if (path === null) return [];
    const rows = gunzipSync(readFileSync(path)).toString('utf8').trim().split('\n').slice(1);
    const columns = [1, 2, 3].map((field) =>
      Int16Array.from(rows, (row) => Math.round((Number(row.split(',')[field]) * 65_535) / 32)),
    );
    return [{ name, rateHz: 250, columns }];
  });
}

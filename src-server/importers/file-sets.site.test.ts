/** Which files are one source, by the rule that the command line and watched folders share. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realData } from '../testing/real-data.ts';
import { sourcesOf } from './file-sets.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-sources-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const saved = async (files: Record<string, string>): Promise<string[]> => {
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return Object.keys(files).map((name) => join(folder, name));
};
const namesOf = (sources: string[][]) => sources.map((paths) => paths.map((path) => basename(path)));

describe('files that are named together', () => {
  it('are sets of their formats, and each other file alone', async () => {
    const title = (what: string) => `${what}   25.01.2516.42.59200`;
    const ecg = `${title('ECG')}\nTimestamp,Sample\n1737823392.42,-115\n`;
    const paths = await saved({
      'ECG-540.csv': ecg,
      'other.csv': 'a,b\n1,2\n',
      'ECG-541.csv': ecg,
      'HR-541.csv': `${title('HeartRate')}\nAverage,RRData\n153,392\n`,
      'HR-540.csv': `${title('HeartRate')}\nAverage,RRData\n153,392\n`,
      '1-1-a_1700000000.avro': 'Obj\x01',
      '1-1-b_1700000000.avro': 'Obj\x01',
      '1-1-a_1700001800.avro': 'Obj\x01',
    });
    expect(namesOf(await sourcesOf(paths))).toEqual([
      ['ECG-540.csv', 'HR-540.csv'],
      ['other.csv'],
      ['ECG-541.csv', 'HR-541.csv'],
      ['1-1-a_1700000000.avro', '1-1-a_1700001800.avro'],
      ['1-1-b_1700000000.avro'],
    ]);
  });

  it('join the parts of a WFDB record, also without its header', async () => {
    const [, ...parts] = await saved({
      'r1.hea': 'r1 1 100 3\nr1.dat 16 200/mV\n',
      'r1.dat': 'abcdef',
      'r1.atr': '??',
    });
    expect(namesOf(await sourcesOf(parts))).toEqual([['r1.dat', 'r1.atr']]);
    expect(namesOf(await sourcesOf([join(folder, 'r1.hea'), ...parts]))).toEqual([['r1.hea', 'r1.dat', 'r1.atr']]);
  });

  const unisens = realData('devices/unisens');
  it.runIf(unisens)('join a Unisens header and the data files that it names', async () => {
    const names = ['unisens.xml', 'ecg.bin', 'qrs-trigger.csv', 'truth.json'];
    const sources = namesOf(await sourcesOf(names.map((name) => join(unisens!, name))));
    expect(sources).toHaveLength(2);
    expect(sources[0]!.sort()).toEqual(['ecg.bin', 'qrs-trigger.csv', 'unisens.xml']);
  });
});

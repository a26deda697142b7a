import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImport, readImports } from '../../testing/import-fixtures.ts';
import { madeZip } from '../../testing/made-zip.ts';
import { openImport } from '../index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-apple-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let made = 0;
async function write(content: string | Buffer, name = 'ecg_2020-02-05.csv'): Promise<string> {
  const path = join(await mkdtemp(join(folder, `${made++}-`)), name);
  await writeFile(path, content);
  return path;
}

/** Microvolts of a beat a second, as Apple prints them. */
const VALUES = Array.from({ length: 1536 }, (_, i) => {
  const phase = (i % 512) / 512;
  return (1000 * Math.exp(-(((phase - 0.3) / 0.01) ** 2)) - 40 * Math.sin(2 * Math.PI * phase)).toFixed(3);
});

interface Words {
  head?: string[];
  values?: readonly string[];
  end?: string;
}

const ENGLISH = [
  'Name,Ada Example',
  'Date of Birth,"Dec 10, 1815"',
  'Recorded Date,2020-02-05 09:14:40 -0400',
  'Classification,Sinus Rhythm',
  'Symptoms,"Rapid, pounding heartbeat"',
  'Software Version,6.1.2',
  'Device,"Watch6,7"',
  'Sample Rate,512.844 hertz',
  '',
  'Lead,Lead I',
  'Unit,µV',
  '',
];
const ecgText = ({ head = ENGLISH, values = VALUES, end = '\n' }: Words = {}): string =>
  [...head, ...values].join(end) + end;

describe('Apple Watch ECG', () => {
  it('reads a text with its own offset and rate, and the classification as a label', async () => {
    const path = await write(ecgText());
    const source = await openImport([path]);
    expect(source.clock).toEqual({
      kind: 'OFFSET_IN_FILE',
      wallStart: '2020-02-05T09:14:40.000',
      utcOffsetMinutes: -240,
    });
    const { channels, labels, header, notes, format } = await readImport([path], { timeZone: 'Asia/Tokyo' });
    expect(format).toBe('Apple Watch ECG');
    const [ecg] = channels;
    expect(ecg!.channel).toMatchObject({ type: 'ECG', dimensions: ['v'], unit: 'V', nominalRateHz: 512.844 });
    const startUs = Date.UTC(2020, 1, 5, 13, 14, 40) * 1000;
    expect(ecg!.timesUs[0]).toBe(startUs);
    expect(ecg!.timesUs[1000]! - startUs).toBeCloseTo((1000 / 512.844) * 1e6, -1);
    expect(ecg!.values[0]!.map((volts) => (volts * 1e6).toFixed(3))).toEqual(
      VALUES.map((text) => Number(text).toFixed(3)),
    );
    expect(labels).toEqual([
      {
        startUs,
        stopUs: startUs + Math.round((1536 / 512.844) * 1e6),
        displayName: 'Classification by Apple',
        value: 'Sinus Rhythm',
      },
    ]);
    expect(header).toMatchObject({ hardwareId: 'Watch6,7', firmwareId: '6.1.2', device: { maker: 'Apple' } });
    expect(notes).toEqual([]);
  });

  it('keeps neither the name nor the date of birth', async () => {
    const read = await readImport([await write(ecgText())]);
    const kept = JSON.stringify([read.header, read.labels, read.notes, read.marks]);
    expect(kept).not.toMatch(/Ada|1815/);
  });

  it.each([
    [
      'German, with a decimal comma and spaces that do not break',
      [
        'Name,Ada',
        'Geburtsdatum,"10. Dezember 1815"',
        'Aufzeichnungsdatum,2020-02-05 14:14:40 +0100',
        'Klassifizierung,Sinusrhythmus',
        'Symptome,',
        'Softwareversion,1.90',
        'Gerät,"Watch6,7"',
        'Messrate,"512,844\u00a0Hertz"',
        '',
        'Ableitung,Ableitung I',
        'Einheit,µV',
        '',
      ],
      VALUES.map((text) => text.replace('.', ',')),
      '\r\n',
    ],
    [
      'Japanese, with the other mu',
      [
        '名前,Ada',
        '生年月日,1815年12月10日',
        '記録日,2020-02-05 22:14:40 +0900',
        '分類,洞調律',
        '症状,',
        'ソフトウェアバージョン,2.0',
        'デバイス,"Watch6,7"',
        'サンプルレート,512.844ヘルツ',
        '',
        'リード,I誘導',
        '単位,μV',
        '',
      ],
      VALUES,
      '\n',
    ],
    ['semicolons', ENGLISH.map((line) => line.replace(',', ';')), VALUES.map((text) => text.replace('.', ',')), '\n'],
    ['pairs of a time and a value', ENGLISH, VALUES.map((text, i) => `${(i / 512).toFixed(4)},${text}`), '\n'],
    [
      'pairs of an index and a value',
      ENGLISH,
      VALUES.map((text, i) => `${i},${Math.abs(Math.round(Number(text)))}`),
      '\n',
    ],
  ])('reads a text in %s', async (_, head, values, end) => {
    const { channels, labels } = await readImport([await write(ecgText({ head, values, end }))]);
    expect(channels[0]!.timesUs[0]).toBe(Date.UTC(2020, 1, 5, 13, 14, 40) * 1000);
    expect(channels[0]!.channel.nominalRateHz).toBe(512.844);
    expect(channels[0]!.values[0]!.length).toBe(1536);
    expect(channels[0]!.values[0]![154]! * 1e6).toBeGreaterThan(900);
    expect(labels[0]!.value).toMatch(/^(?:Sinus|洞)/);
  });

  it('reads pairs of a lead and a voltage, which are in mV, and no heart rate as the rate', async () => {
    const head = [
      'Name',
      'Recorded Date,2020-02-05 09:14:40 -0400',
      'Classification,Heart Rate Over 120',
      'Average Heart Rate,124 bpm',
      'Sample Rate,512 Hz',
      'Lead,Voltage',
    ];
    const values = VALUES.map((text) => `I,${(Number(text) / 1000).toFixed(6)}`);
    const { channels, notes, labels } = await readImport([await write(ecgText({ head, values }))]);
    expect(channels[0]!.channel.nominalRateHz).toBe(512);
    expect(channels[0]!.values[0]!.map((volts) => (volts * 1e6).toFixed(3))).toEqual(
      VALUES.map((text) => Number(text).toFixed(3)),
    );
    expect(labels[0]!.value).toBe('Heart Rate Over 120');
    expect(notes).toEqual(['The ECG has no unit; mV was assumed.']);
  });

  it('reads a text without its last line end, and leaves out a last number that was cut', async () => {
    const whole = ecgText().trimEnd();
    expect((await readImport([await write(whole)])).channels[0]!.timesUs.length).toBe(1536);
    const cut = await readImport([await write(whole.slice(0, -2))]);
    expect(cut.channels[0]!.timesUs.length).toBe(1535);
    expect(cut.notes).toEqual(['The last line has no end and may be cut, so it was left out.']);
  });

  it('leaves a line that is no value as a gap', async () => {
    const values = VALUES.map((text, i) => (i === 700 ? 'x' : text));
    const { channels, notes } = await readImport([await write(ecgText({ values }))]);
    expect(channels[0]!.timesUs.length).toBe(1535);
    expect(channels[0]!.pageCount).toBe(2);
    expect(notes.join(' ')).toContain('1 lines are not values');
  });

  it.each([
    ['date', ENGLISH.filter((line) => !line.startsWith('Recorded'))],
    ['rate', ENGLISH.filter((line) => !line.startsWith('Sample'))],
  ])('is not recognised without a %s', async (_, head) => {
    await expect(openImport([await write(ecgText({ head }))])).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
  });

  it('makes a recording of each electrocardiogram of a Health export, whatever its folders are called', async () => {
    const later = ecgText({ head: ENGLISH.map((line) => line.replace('2020-02-05', '2021-03-06')) });
    const zip = madeZip({
      'apple_health_export/Export.xml': '<HealthData>'.repeat(50),
      'apple_health_export/elektrokardiogramme/ecg_2021-03-06.csv': later,
      'apple_health_export/elektrokardiogramme/ecg_2020-02-05.csv': ecgText(),
      'apple_health_export/elektrokardiogramme/ecg_2020-02-06.csv': 'Name,Ada\n',
      '__MACOSX/ecg_2020-02-05.csv': 'x',
    });
    const recordings = await readImports([await write(zip, 'Export.zip')]);
    expect(recordings.map(({ channels }) => new Date(channels[0]!.timesUs[0]! / 1000).getUTCFullYear())).toEqual([
      2020, 2021,
    ]);
    expect(recordings[0]!.header.source.fileName).toBe('Export.zip');
    expect(recordings[0]!.notes.join(' ')).toContain('1 texts hold no readable electrocardiogram');
  });

  it('refuses a Health export without electrocardiograms', async () => {
    const zip = madeZip({ 'apple_health_export/export.xml': '<HealthData/>' });
    await expect(openImport([await write(zip, 'Export.zip')])).rejects.toMatchObject({ code: 'FILE_EMPTY' });
  });

  it('reads several texts together, each as a recording', async () => {
    const folderPath = await mkdtemp(join(folder, 'several-'));
    for (const day of ['05', '06']) {
      const head = ENGLISH.map((line) => line.replace('2020-02-05', `2020-02-${day}`));
      await writeFile(join(folderPath, `ecg_2020-02-${day}.csv`), ecgText({ head }));
    }
    const paths = ['05', '06'].map((day) => join(folderPath, `ecg_2020-02-${day}.csv`));
    expect((await readImports(paths)).length).toBe(2);
    expect((await readImports([folderPath])).length).toBe(2);
  });
});

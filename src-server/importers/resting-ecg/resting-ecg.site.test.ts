import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceTruth } from '../../testing/device-truth.ts';
import { readImport } from '../../testing/import-fixtures.ts';
import { openImport } from '../index.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'outpost-resting-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let made = 0;
async function write(content: string | Buffer, name: string): Promise<string> {
  const path = join(folder, `${made++}-${name}`);
  await writeFile(path, content);
  return path;
}

const START = '20240305101112.500';
const START_US = Date.UTC(2024, 2, 5, 10, 11, 12, 500) * 1000;

const lead = (name: string, digits: string, scale = 'value="2.5" unit="uV"'): string =>
  `<component><sequence><code code="MDC_ECG_LEAD_${name}"/><value><origin value="0" unit="uV"/><scale ${scale}/><digits>${digits}</digits></value></sequence></component>`;
const time = (head: string, increment = 'value="0.002" unit="s"'): string =>
  `<component><sequence><code code="TIME_ABSOLUTE"/><value><head value="${head}"/><increment ${increment}/></value></sequence></component>`;
const series = (sets: string[], code = 'RHYTHM'): string =>
  `<component><series><code code="${code}"/><effectiveTime><low value="20240305101112"/></effectiveTime>${sets
    .map((set) => `<component><sequenceSet>${set}</sequenceSet></component>`)
    .join('')}</series></component>`;
const aecg = (inside: string): string =>
  `<?xml version="1.0"?>\n<AnnotatedECG xmlns="urn:hl7-org:v3"><subject><trialSubject><id extension="S-1"/><subjectDemographicPerson><name>Ada</name></subjectDemographicPerson></trialSubject></subject>${inside}</AnnotatedECG>`;

describe('HL7 aECG', () => {
  it('reads the rhythm in the offset that it states, and leaves derived beats out', async () => {
    const derived = `<derivation><derivedSeries><code code="REPRESENTATIVE_BEAT"/><component><sequenceSet>${time(START)}${lead('I', '9 9')}</sequenceSet></component></derivedSeries></derivation>`;
    const rhythm = series([`${time(`${START}+0200`)}${lead('I', '1 -2\n3')}${lead('AVR', '4 5 6')}`]);
    const path = await write(aecg(rhythm.replace('</series>', `${derived}</series>`)), 'ecg.xml');
    const source = await openImport([path]);
    expect(source.clock).toMatchObject({ kind: 'OFFSET_IN_FILE', utcOffsetMinutes: 120 });
    const { channels, header, notes } = await readImport([path]);
    expect(channels.length).toBe(1);
    expect(channels[0]!.channel).toMatchObject({ type: 'ECG', dimensions: ['v', 'avr'], nominalRateHz: 500 });
    expect(channels[0]!.counts).toEqual([
      [1, -2, 3],
      [4, 5, 6],
    ]);
    expect(channels[0]!.values[0]![1]).toBeCloseTo(-5e-6, 15);
    expect(channels[0]!.timesUs).toEqual([0, 2000, 4000].map((us) => START_US - 7200e6 + us));
    expect(header.device).toEqual({ subjectCode: 'S-1' });
    expect(notes.join(' ')).toContain('1 series of derived beats');
    expect(JSON.stringify([header, notes])).not.toContain('Ada');
  });

  it('makes a channel of each group of leads that begins at its own time', async () => {
    const sets = [
      `${time(START)}${lead('I', '1 2')}`,
      `${time('20240305101115.000', 'value="4" unit="ms"')}${lead('V1', '3 4')}`,
    ];
    const { channels } = await readImport([await write(aecg(series(sets)), 'groups.xml')], { timeZone: 'UTC' });
    expect(channels.map(({ channel, timesUs }) => [channel.type, channel.nominalRateHz, timesUs[0]])).toEqual([
      ['ECG', 500, START_US],
      ['ECG_2', 250, START_US + 2.5e6],
    ]);
  });

  it('keeps leads of another length whole, in a channel of their own', async () => {
    const set = `${time(START)}${lead('I', '1 2 3')}${lead('V1', '4 5 6 7')}${lead('II', '7 8 9')}`;
    const { channels, notes } = await readImport([await write(aecg(series([set])), 'lengths.xml')]);
    expect(channels.map(({ channel, counts, timesUs }) => [channel.type, counts, timesUs[0]])).toEqual([
      [
        'ECG',
        [
          [1, 2, 3],
          [7, 8, 9],
        ],
        START_US,
      ],
      ['ECG_2', [[4, 5, 6, 7]], START_US],
    ]);
    expect(notes.join(' ')).toContain('ECG is I, II; ECG_2 is V1.');
  });

  it('adds the head of a relative time to the start of its series', async () => {
    const relative = (head: string): string =>
      time('').replace('TIME_ABSOLUTE', 'TIME_RELATIVE').replace('<head value=""/>', head);
    const sets = ['<head value="0.000" unit="s"/>', '<head value="2500" unit="ms"/>', '<head value="5"/>', ''].map(
      (head) => `${relative(head)}${lead('I', '1 2')}`,
    );
    const { channels } = await readImport([await write(aecg(series(sets)), 'relative.xml')], { timeZone: 'UTC' });
    const lowUs = START_US - 500_000;
    expect(channels.map(({ timesUs }) => timesUs[0]! - lowUs)).toEqual([0, 2.5e6, 5e6, 0]);
    const bad = await write(aecg(series([`${relative('<head value="1" unit="mV"/>')}${lead('I', '1 2')}`])), 'bad.xml');
    await expect(openImport([bad])).rejects.toMatchObject({ code: 'FILE_DAMAGED' });
  });

  it.each([
    ['without a rhythm', series([`${time(START)}${lead('I', '1 2')}`], 'MEDIAN_BEAT'), 'FILE_EMPTY'],
    ['without a time', series([lead('I', '1 2')]), 'FILE_DAMAGED'],
    ['with text among its counts', series([`${time(START)}${lead('I', '1 x 2')}`]), 'FILE_DAMAGED'],
    ['in a unit that is none', series([`${time(START)}${lead('I', '1 2', 'value="1" unit="mmHg"')}`]), 'UNIT_UNKNOWN'],
  ])('refuses a file %s', async (_, inside, code) => {
    await expect(openImport([await write(aecg(inside), 'bad.xml')])).rejects.toMatchObject({ code });
  });

  it('refuses a document type', async () => {
    const text = aecg(series([])).replace('\n', '\n<!DOCTYPE x [<!ENTITY a "b">]>\n');
    await expect(openImport([await write(text, 'type.xml')])).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT' });
  });
});

type Value = string | Buffer | Value[][] | Element[];
interface Element {
  tag: number;
  vr: string;
  value: Value;
}
const element = (tag: number, vr: string, value: Value): Element => ({ tag, vr, value });
const u16 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [i, value] of values.entries()) bytes.writeInt16LE(value, i * 2);
  return bytes;
};
const LONG = ['OW', 'SQ', 'OB'];

function encoded({ tag, vr, value }: Element): Buffer {
  const body = vr === 'SQ' ? sequence(value as unknown as Element[][]) : even(Buffer.from(value as string));
  const head = Buffer.alloc(LONG.includes(vr) ? 12 : 8);
  head.writeUInt16LE(tag >>> 16, 0);
  head.writeUInt16LE(tag & 0xffff, 2);
  head.write(vr, 4, 'latin1');
  if (vr === 'SQ') head.writeUInt32LE(0xffff_ffff, 8);
  else if (LONG.includes(vr)) head.writeUInt32LE(body.length, 8);
  else head.writeUInt16LE(body.length, 6);
  return Buffer.concat([head, body]);
}
const even = (bytes: Buffer): Buffer => (bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.from(' ')]));
/** Sequences and items of undefined length, with their end marks. */
const sequence = (items: Element[][]): Buffer =>
  Buffer.concat([
    ...items.flatMap((item) => [
      Buffer.from('feff00e0ffffffff', 'hex'),
      ...item.map(encoded),
      Buffer.from('feff0de000000000', 'hex'),
    ]),
    Buffer.from('feffdde000000000', 'hex'),
  ]);

interface Made {
  syntax?: string;
  bits?: number;
  unit?: string;
  date?: string;
  padding?: number;
  /** Of each waveform: whether it was recorded, and when by the file's own time. */
  waveforms?: { originality?: string; offsetMs?: string; unit?: string }[];
  /** Sample by sample, both leads of each. */
  counts?: number[];
}

function dicom(options: Made = {}): Buffer {
  const { syntax = '1.2.840.10008.1.2.1', bits = 16, unit = 'uV', date = START, padding } = options;
  const { counts = [1, -1, 2, -2, 3, -3] } = options;
  const { waveforms = [{}] } = options;
  const channel = (name: string, baseline: string, inUnit: string): Element[] => [
    element(0x003a_0208, 'SQ', [[element(0x0008_0104, 'LO', `Lead ${name} (Einthoven)`)]] as unknown as Value),
    element(0x003a_0210, 'DS', '4.88'),
    element(0x003a_0211, 'SQ', [[element(0x0008_0100, 'SH', inUnit)]] as unknown as Value),
    element(0x003a_0212, 'DS', '1'),
    element(0x003a_0213, 'DS', baseline),
  ];
  const group = ({ originality, offsetMs, unit: inUnit = unit }: NonNullable<Made['waveforms']>[number]): Element[] => [
    ...(offsetMs === undefined ? [] : [element(0x0018_1068, 'DS', offsetMs)]),
    ...(originality === undefined ? [] : [element(0x003a_0004, 'CS', originality)]),
    element(0x003a_0005, 'US', u16(2)),
    element(0x003a_0010, 'UL', Buffer.from(Uint32Array.of(counts.length / 2).buffer)),
    element(0x003a_001a, 'DS', '250'),
    element(0x003a_0200, 'SQ', [channel('I', '0', inUnit), channel('aVF', '10', inUnit)] as unknown as Value),
    element(0x5400_1004, 'US', u16(bits)),
    element(0x5400_1006, 'CS', 'SS'),
    ...(padding === undefined ? [] : [element(0x5400_100a, 'OW', u16(padding))]),
    element(0x5400_1010, 'OW', u16(...counts)),
  ];
  const meta = encoded(element(0x0002_0010, 'UI', `${syntax}\0`));
  const set = [
    element(0x0008_0016, 'UI', '1.2.840.10008.5.1.4.1.1.9.1.1\0'),
    element(0x0008_002a, 'DT', date),
    element(0x0008_0201, 'SH', '-0330'),
    element(0x0010_0010, 'PN', 'Example^Ada'),
    element(0x0010_0020, 'LO', 'P-7'),
    element(0x5400_0100, 'SQ', waveforms.map(group) as unknown as Value),
  ].map(encoded);
  return Buffer.concat([Buffer.alloc(128), Buffer.from('DICM'), meta, ...set]);
}

describe('DICOM ECG', () => {
  it('reads explicit value representations, open sequences, baselines and the stated offset', async () => {
    const { channels, header } = await readImport([await write(dicom(), 'ecg.dcm')]);
    const [ecg] = channels;
    expect(ecg!.channel).toMatchObject({ dimensions: ['v', 'avf'], unit: 'V', nominalRateHz: 250 });
    expect(ecg!.counts).toEqual([
      [1, 2, 3],
      [-1, -2, -3],
    ]);
    expect(ecg!.values[1]!.map((volts) => volts * 1e6)).toEqual([5.12, 0.24, -4.64].map((uv) => expect.closeTo(uv, 9)));
    expect(ecg!.timesUs[0]).toBe(START_US + 12_600e6);
    expect(header.device).toEqual({ subjectCode: 'P-7' });
    expect(JSON.stringify(header)).not.toContain('Ada');
  });

  it('takes every waveform that was recorded, at its own offset', async () => {
    const waveforms = [
      { originality: 'ORIGINAL', offsetMs: '0' },
      { originality: 'DERIVED' },
      { originality: 'ORIGINAL', offsetMs: '2500.5' },
      { originality: 'ORIGINAL', unit: 'mm[Hg]' },
    ];
    const { channels, notes } = await readImport([await write(dicom({ waveforms }), 'groups.dcm')]);
    const startUs = START_US + 12_600e6;
    expect(channels.map(({ channel, timesUs }) => [channel.type, timesUs[0]])).toEqual([
      ['ECG', startUs],
      ['ECG_2', startUs + 2_500_500],
    ]);
    expect(notes.join(' ')).toMatch(/1 derived waveform was left out.*1 further waveform is no ECG/);
  });

  it('takes the first waveform where all are said to be derived', async () => {
    const waveforms = [{ originality: 'DERIVED' }, { originality: 'DERIVED' }];
    const { channels, notes } = await readImport([await write(dicom({ waveforms }), 'derived.dcm')]);
    expect(channels.length).toBe(1);
    expect(notes.join(' ')).toMatch(/all its waveforms that they are derived.*1 derived waveform was left out/);
  });

  it('takes padding at the end of the range as missing, and keeps leads apart that differ in it', async () => {
    const P = -32_768;
    const counts = [1, -1, 2, -2, P, -3, P, -4, 5, P, 6, P];
    const { channels, marks, notes } = await readImport([await write(dicom({ padding: P, counts }), 'padded.dcm')]);
    expect(channels.map(({ channel }) => channel.type)).toEqual(['ECG', 'ECG_2']);
    const [first, second] = channels;
    const startUs = START_US + 12_600e6;
    expect(first!.counts).toEqual([[1, 2, 5, 6]]);
    expect(first!.timesUs).toEqual([0, 4000, 16_000, 20_000].map((us) => startUs + us));
    expect(second!.counts).toEqual([[-1, -2, -3, -4]]);
    expect(marks).toEqual([{ channel: 0, timeUs: startUs + 4000, reason: 'LOST_BLOCK' }]);
    expect(notes.join(' ')).toMatch(/was left out: I, aVF\..*ECG is I; ECG_2 is aVF/);
  });

  it('takes an ordinary padding value as missing only where it fills an end of a lead', async () => {
    const counts = Array.from({ length: 1000 }, (_, i) => [i % 3, i < 600 ? i % 5 : 0]).flat();
    const { channels } = await readImport([await write(dicom({ padding: 0, counts }), 'zero.dcm')]);
    expect(channels.map(({ counts: held }) => held[0]!.length)).toEqual([1000, 600]);
    const short = await readImport([await write(dicom({ padding: 0, counts: [0, 0, 4, 0, 0, 6] }), 'short.dcm')]);
    expect(short.channels[0]!.counts).toEqual([
      [0, 4, 0],
      [0, 0, 6],
    ]);
  });

  it.each([
    ['packed', { syntax: '1.2.840.10008.1.2.1.99' }, 'UNSUPPORTED_FORMAT'],
    ['of 8-bit samples', { bits: 8 }, 'UNSUPPORTED_FORMAT'],
    ['in a unit that is none', { unit: 'mm[Hg]' }, 'UNIT_UNKNOWN'],
    ['without a time', { date: 'X' }, 'FILE_DAMAGED'],
  ])('refuses a file %s', async (_, made_, code) => {
    await expect(openImport([await write(dicom(made_ as Made), 'bad.dcm')])).rejects.toMatchObject({ code });
  });

  it('refuses any file that was cut off with a sentence', async () => {
    const whole = dicom();
    for (let length = 140; length < whole.length; length += 13) {
      const path = await write(whole.subarray(0, length), 'cut.dcm');
      const thrown = await openImport([path]).catch((error: unknown) => error);
      expect((thrown as { code?: string }).code ?? 'READ').toMatch(/^(?:FILE_|UNSUPPORTED_FORMAT|UNIT_UNKNOWN|READ)/);
    }
  });
});

describe.runIf(deviceTruth('resting-ecg'))('resting ECGs of real devices', () => {
  it('are read or refused with a sentence wherever they are cut', async () => {
    const files = deviceTruth('resting-ecg')!.files;
    for (const { path, file } of files) {
      const bytes = readFileSync(path);
      for (const share of [0.002, 0.05, 0.3, 0.7, 0.99]) {
        const cut = await write(bytes.subarray(0, Math.floor(bytes.length * share)), file);
        const thrown = await readImport([cut]).catch((error: unknown) => error);
        expect((thrown as { code?: string }).code ?? 'READ').toMatch(/^(?:FILE_|UNSUPPORTED_FORMAT|READ)/);
      }
    }
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceTruth, expectTruth } from '../../testing/device-truth.ts';
import { readImport } from '../../testing/import-fixtures.ts';
import { madeZip } from '../../testing/made-zip.ts';
import { openImport } from '../index.ts';

const truth = deviceTruth('unisens');

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'outpost-unisens-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

type Files = Record<string, string | Uint8Array>;

async function folderOf(files: Files): Promise<string> {
  const folder = join(root, crypto.randomUUID());
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

const header = (entries: string, attributes = '', custom = ''): string =>
  `<?xml version="1.0" encoding="UTF-8"?><!-- made --><unisens xmlns="http://www.unisens.org/unisens2.0" version="2.0" measurementId="1" timestampStart="2024-06-01T10:00:00.500" ${attributes}>${custom}${entries}</unisens>`;

const START_US = Date.UTC(2024, 5, 1, 10, 0, 0, 500) * 1000;

const signal = (attributes: string, format: string, channels: readonly string[]): string =>
  `<signalEntry ${attributes}>${format}${channels.map((name) => `<channel name="${name}"/>`).join('')}</signalEntry>`;
const BIN = '<binFileFormat endianess="LITTLE"/>';
const CSV = '<csvFileFormat separator=";" decimalSeparator=","/>';
const utc = { timeZone: 'UTC' };

describe.runIf(truth)('the published example', () => {
  const file = truth?.files[0];
  const files = (): Files => {
    const folder = dirname(file!.path);
    const names = readdirSync(folder).filter((name) => name !== 'truth.json');
    return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name))]));
  };

  it.each(['folder', 'ZIP', 'header'])('is read to its truth from its %s', async (form) => {
    const folder = await folderOf(files());
    const zip = join(root, `${crypto.randomUUID()}.zip`);
    await writeFile(zip, madeZip(Object.fromEntries(Object.entries(files()).map(([k, v]) => [`Example/${k}`, v]))));
    const path = { folder, ZIP: zip, header: join(folder, 'unisens.xml') }[form] as string;
    const { format, channels, labels, notes } = await readImport([path], utc);
    expect(format).toBe('Unisens');
    const [ecg, pressure] = channels;
    expect(ecg!.channel).toMatchObject({ type: 'ECG', dimensions: ['v'], unit: 'V', nominalRateHz: file!.rateHz });
    expectTruth(ecg!.counts, file!.counts, 0);
    expect(ecg!.timesUs[0]).toBe(Date.parse(`${file!.timestampStart}Z`) * 1000);
    expect(ecg!.timesUs.at(-1)).toBe(ecg!.timesUs[0]! + (59_999 / 200) * 1e6);
    expect(ecg!.values[0]![0]).toBeCloseTo(-0.363, 12);
    expect(notes.join()).toMatch(/zero at 32768, which gives no negative numbers, but the samples reach -9890/);
    expect(pressure!.channel).toMatchObject({ type: 'BLOOD_PRESSURE', dimensions: ['v', 'diastolisch'], unit: 'mmHg' });
    expect(pressure!.values).toEqual([
      [125, 135, 135],
      [85, 90, 90],
    ]);
    expect(pressure!.timesUs[0]).toBe(ecg!.timesUs[0]! + 1426e6);
    const stamps = labels.map(({ startUs }) => ((startUs - ecg!.timesUs[0]!) * 200) / 1e6);
    expect(stamps.length).toBe(file!.triggers.count);
    expect(stamps.slice(0, 5)).toEqual(file!.triggers.first);
    expect(stamps.slice(-2)).toEqual(file!.triggers.last);
    expect(labels[0]!.displayName).toBe('Q (qrs-trigger)');
  });
});

const BYTES: Record<string, number> = {
  int8: 1,
  uint8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  uint64: 8,
  float: 4,
  double: 8,
};

/** One number in the type and byte order, with the writers of Node's buffers. */
function numberBytes(type: string, value: number, little: boolean): Buffer {
  const bytes = Buffer.alloc(8);
  const order = little ? 'LE' : 'BE';
  if (type === 'float' || type === 'double') {
    bytes[`write${type === 'float' ? 'Float' : 'Double'}${order}`](value);
    return bytes.subarray(0, BYTES[type]);
  }
  bytes[`writeBigInt64${order}`](BigInt(value));
  const size = BYTES[type]!;
  return little ? bytes.subarray(0, size) : bytes.subarray(8 - size);
}

const binary = (type: string, values: number[], little: boolean): Buffer =>
  Buffer.concat(values.map((value) => numberBytes(type, value, little)));

const EXTREMES: Record<string, number[]> = {
  int8: [-128, 127, 0, 5],
  uint8: [0, 255, 1, 5],
  int16: [-32_768, 32_767, 0, 5],
  uint16: [0, 65_535, 1, 5],
  int32: [-(2 ** 31), 2 ** 31 - 1, 0, 5],
  uint32: [0, 2 ** 32 - 1, 1, 5],
  int64: [-(2 ** 31) + 1, 2 ** 31 - 1, 0, 5],
  uint64: [0, 2 ** 31 - 1, 1, 5],
  float: [-1.5, 0.25, 1024.125, 0],
  double: [-0.125, 3.0625, 12.5, 0],
};

describe.each(Object.keys(EXTREMES))('binary %s', (type) => {
  it.each([true, false])(
    'is read to the last number, little endian %s, as (raw - baseline) * lsbValue',
    async (little) => {
      const values = EXTREMES[type]!;
      const format = `<binFileFormat endianess="${little ? 'LITTLE' : 'BIG'}"/>`;
      const entry = signal(
        `id="s.bin" contentClass="RESP" dataType="${type}" sampleRate="2" baseline="3" lsbValue="0.5" unit="ml"`,
        format,
        ['a', 'b'],
      );
      const folder = await folderOf({ 'unisens.xml': header(entry), 's.bin': binary(type, values, little) });
      const { channels, notes } = await readImport([folder], utc);
      expect(notes).toEqual([]);
      const [channel] = channels;
      expect(channel!.channel).toMatchObject({ type: 'RESP', dimensions: ['v', 'b'], unit: 'ml', nominalRateHz: 2 });
      const physical = values.map((value) => (value - 3) * 0.5);
      expect(channel!.values).toEqual([
        [physical[0], physical[2]],
        [physical[1], physical[3]],
      ]);
      expect(channel!.timesUs).toEqual([START_US, START_US + 500_000]);
    },
  );
});

describe('units and zeros', () => {
  const read = async (attributes: string, values: number[], channels: readonly string[]) => {
    const entry = signal(`id="s.bin" dataType="int16" sampleRate="10" ${attributes}`, BIN, channels);
    return readImport([await folderOf({ 'unisens.xml': header(entry), 's.bin': binary('int16', values, true) })], utc);
  };

  it('put axes in their order and convert to g', async () => {
    const { channels } = await read(
      'contentClass="acc" unit="m/s2" lsbValue="0.980665"',
      [1, 2, 10],
      ['accZ', 'accX', 'accY'],
    );
    expect(channels[0]!.channel).toMatchObject({
      type: 'ACCEL',
      dimensions: ['x', 'y', 'z'],
      unit: 'g',
      sampleBits: 16,
    });
    const values = channels[0]!.values.map(([first]) => first!);
    expect(values[0]).toBeCloseTo(0.2, 12);
    expect(values[1]).toBeCloseTo(1, 12);
    expect(values[2]).toBeCloseTo(0.1, 12);
  });

  it('take the zero of the converter off unless the baseline is given', async () => {
    const of = async (attributes: string, values: number[]) =>
      (await read(`contentClass="ECG" unit="uV" ${attributes}`, values, ['I'])).channels[0]!.values[0]!.map(
        (value) => Math.round(value * 1e7) / 10,
      );
    expect(await of('adcZero="2048" adcResolution="12"', [2048, 2050])).toEqual([0, 2]);
    expect(await of('adcZero="2048" baseline="2000" adcResolution="12"', [2048, 2050])).toEqual([48, 50]);
    // A zero that no unsigned converter has: negative numbers are possible.
    expect(await of('adcZero="100" adcResolution="12"', [-5, 100])).toEqual([-105, 0]);
    expect(await of('adcZero="2048" adcResolution="12"', [-5, 3])).toEqual([-5, 3]);
  });

  it('go before a class that lies, and a voltage without a unit is noted', async () => {
    const types = async (attributes: string) => {
      const { channels, notes } = await read(attributes, [1, 2], ['a']);
      return [channels[0]!.channel.type, channels[0]!.channel.unit, notes.join()];
    };
    expect(await types('contentClass="ECG" unit="ohm"')).toEqual(['ECG_RAW', 'ohm', '']);
    expect(await types('contentClass="TEMP" unit="K"')).toEqual(['TEMPERATURE', 'degC', '']);
    expect(await types('contentClass="ECG"')).toEqual(['ECG', 'V', 's.bin has no unit; mV was assumed.']);
    expect(await types('contentClass="EDA" unit="uS"')).toEqual(['EDA', 'uS', '']);
  });
});

describe('text and XML', () => {
  it('of signals keep the place of a row that is none', async () => {
    const entry = signal('id="s.csv" contentClass="TEMP" sampleRate="1" unit="degC"', CSV, ['a']);
    const csv = '36,5\r\n36,6\r\nnothing\r\n36,7\r\n36';
    const { channels, notes, marks } = await readImport(
      [await folderOf({ 'unisens.xml': header(entry), 's.csv': csv })],
      utc,
    );
    expect(channels[0]!.values).toEqual([[36.5, 36.6, 36.7, 36]]);
    expect(channels[0]!.timesUs.map((time) => (time - START_US) / 1e6)).toEqual([0, 1, 3, 4]);
    expect(notes).toEqual(['s.csv: 1 rows are no rows of numbers and are gaps.']);
    expect(marks).toEqual([{ channel: 0, timeUs: START_US + 1e6, reason: 'LOST_BLOCK' }]);
  });

  it('hold signals, values and events alike, and a cut one gives what is whole', async () => {
    const files = {
      'unisens.xml': header(
        signal('id="s.xml" contentClass="RESP" sampleRate="4" lsbValue="2"', '<xmlFileFormat/>', ['a']) +
          '<valuesEntry id="rr.xml" contentClass="RR" sampleRate="1000" unit="ms"><xmlFileFormat/><channel name="RR"/></valuesEntry>' +
          '<eventEntry id="e.xml" contentClass="TRIGGER" sampleRate="4"><xmlFileFormat/></eventEntry>',
      ),
      's.xml': '<signal><sample><data>1</data></sample><sample><data>2.5</data></sample><sample><da',
      'rr.xml':
        '<v:values xmlns:v="x"><v:value sampleStamp="800"><v:data>800</v:data></v:value><v:value sampleStamp="1650"><v:data>850</v:data></v:value></v:values>',
      'e.xml': '<events><event sampleStamp="6" type="N" comment="a &amp; b"/></events>',
    };
    const { channels, labels, notes } = await readImport([await folderOf(files)], utc);
    expect(channels.map(({ channel, values }) => [channel.type, values])).toEqual([
      ['RESP', [[2, 5]]],
      ['RR', [[0.8, 0.85]]],
    ]);
    expect(channels[1]!.timesUs).toEqual([START_US + 800_000, START_US + 1_650_000]);
    expect(labels).toMatchObject([{ displayName: 'N (e)', value: 'a & b' }]);
    expect(notes.join()).toMatch(/s\.xml was cut off/);
  });

  it('of events carry their type and comment, in all three forms', async () => {
    const stamp = Buffer.alloc(8);
    stamp.writeBigInt64BE(7n);
    const files = {
      'unisens.xml': header(
        signal('id="s.bin" contentClass="RESP" dataType="int8" sampleRate="4"', BIN, ['a']) +
          '<eventEntry id="a.csv" sampleRate="2"><csvFileFormat separator=","/></eventEntry>' +
          '<eventEntry id="b.xml" sampleRate="2"><xmlFileFormat/></eventEntry>' +
          '<eventEntry id="c.bin" sampleRate="2" typeLength="3" commentLength="2"><binFileFormat endianess="BIG"/></eventEntry>',
      ),
      's.bin': Uint8Array.of(1, 2, 3),
      'a.csv': '3,V,one, two\nnone\n',
      'b.xml': '<events><event sampleStamp="6" type="N" comment="a &amp; b"/></events>',
      'c.bin': Buffer.concat([stamp, Buffer.from('S  ok'), Buffer.from('cut')]),
    };
    const { labels, notes } = await readImport([await folderOf(files)], utc);
    expect(labels.map(({ startUs, displayName, value }) => [(startUs - START_US) / 1e6, displayName, value])).toEqual([
      [1.5, 'V (a)', 'one, two'],
      [3, 'N (b)', 'a & b'],
      [3.5, 'S (c)', 'ok'],
    ]);
    expect(notes).toEqual([
      'a.csv: 1 rows are no events and were left out.',
      'c.bin was cut off; the events before were kept.',
    ]);
  });

  it('of values have their own times, in order, also in binary form', async () => {
    const row = (stamp: bigint, value: number): Buffer => {
      const bytes = Buffer.alloc(10);
      bytes.writeBigInt64LE(stamp);
      bytes.writeInt16LE(value, 8);
      return bytes;
    };
    const entry = `<valuesEntry id="v.bin" contentClass="SPO2" dataType="int16" sampleRate="10" unit="%" lsbValue="0.1">${BIN}<channel name="s"/></valuesEntry>`;
    const rows = [row(0n, 970), row(25n, 980), row(20n, 1), row(70n, 990)];
    const { channels, notes } = await readImport(
      [await folderOf({ 'unisens.xml': header(entry), 'v.bin': Buffer.concat([...rows, Buffer.from('x')]) })],
      utc,
    );
    expect(channels[0]!.timesUs.map((time) => (time - START_US) / 1e6)).toEqual([0, 2.5, 7]);
    expect(channels[0]!.values[0]!.map((value) => value.toFixed(3))).toEqual(['97.000', '98.000', '99.000']);
    expect(notes).toEqual([
      'v.bin was cut off; what is whole was kept.',
      'v.bin: 1 values are not in order of time and were left out.',
    ]);
  });
});

describe('a ZIP that was cut off', () => {
  it('gives the samples before the cut', async () => {
    const entry = signal('id="s.bin" contentClass="RESP" dataType="int16" sampleRate="100"', BIN, ['a', 'b']);
    const values = Array.from({ length: 20_000 }, (_, i) => ((i * i * 31) % 30_011) - 15_000);
    const zip = madeZip({ 'unisens.xml': header(entry), 's.bin': binary('int16', values, true) });
    const path = join(root, 'cut.zip');
    await writeFile(path, zip.subarray(0, zip.length / 2));
    const { channels, notes } = await readImport([path], utc);
    const count = channels[0]!.timesUs.length;
    expect(count).toBeGreaterThan(3000);
    expect(channels[0]!.values).toEqual([0, 1].map((c) => values.filter((_, i) => i % 2 === c).slice(0, count)));
    expect(notes[0]).toMatch(/^The ZIP was cut off/);
  });
});

describe('the header', () => {
  const entry = signal('id="s.bin" contentClass="RESP" dataType="int8" sampleRate="1"', BIN, ['a']);
  const data = { 's.bin': Uint8Array.of(1, 2, 3) };
  const open = async (attributes: string, custom = '', options = {}) =>
    readImport([await folderOf({ 'unisens.xml': header(entry, attributes, custom), ...data })], options);

  it('places the start by its zone, its UTC or the given zone', async () => {
    const at = async (attributes: string, options = {}) =>
      (await open(attributes, '', options)).channels[0]!.timesUs[0];
    expect(await at('', { timeZone: 'Europe/Berlin' })).toBe(START_US - 7200e6);
    expect(await at('timeZoneStart="Asia/Tokyo"')).toBe(START_US - 9 * 3600e6);
    expect(await at('timestampStartUTC="2024-06-01T06:00:00.500Z"', { timeZone: 'Asia/Tokyo' })).toBe(
      START_US - 4 * 3600e6,
    );
    expect(await at('timeZoneStart="Nowhere/At_All"', utc)).toBe(START_US);
  });

  it('names the sensor and where it was worn, and not the person', async () => {
    const custom = Object.entries({
      sensorType: 'EcgMove4',
      sensorSerialNumber: '0815',
      sensorLocation: 'left_wrist',
      personId: 'P-3',
      age: '44.25',
      weight: '81.75',
    }).map(([key, value]) => `<customAttribute key="${key}" value="${value}"/>`);
    const { header: read } = await open('', `<customAttributes>${custom.join('')}</customAttributes>`, utc);
    expect(read).toMatchObject({
      udid: '0815',
      hardwareId: 'EcgMove4',
      physicalConfig: { location: 'WRIST', side: 'LEFT' },
      device: { maker: 'movisens', subjectCode: 'P-3' },
    });
    expect(JSON.stringify(read)).not.toMatch(/44\.25|81\.75/);
  });

  it('may name files that are not there: they are noted, and the others read', async () => {
    const more = signal('id="gone.bin" contentClass="ECG" dataType="int16" sampleRate="1"', BIN, ['a']);
    const picture = '<customEntry id="p.jpg"><customFileFormat fileFormatName="jpg"/></customEntry>';
    const folder = await folderOf({ 'unisens.xml': header(more + picture + entry), ...data });
    const { channels, notes } = await readImport([folder], utc);
    expect(channels.length).toBe(1);
    expect(notes).toEqual([
      'gone.bin was left out: the header names it, and it is not there.',
      'p.jpg was left out: it is a file of no fixed form.',
    ]);
    await expect(openImport([await folderOf({ 'unisens.xml': header(more) })], utc)).rejects.toMatchObject({
      code: 'FILE_EMPTY',
      message: expect.stringMatching(/gone\.bin/),
    });
  });

  it.each(['/etc/passwd', '../s.bin', 'a/../../s.bin', 'C:\\s.bin', '\\\\host\\s.bin'])(
    'that names %s is refused',
    async (id) => {
      const bad = signal(`id="${id}" contentClass="RESP" dataType="int8" sampleRate="1"`, BIN, ['a']);
      const folder = await folderOf({ 'unisens.xml': header(entry + bad), ...data });
      for (const path of [folder, join(folder, 'unisens.xml')]) {
        await expect(openImport([path], utc)).rejects.toMatchObject({
          code: 'FILE_DAMAGED',
          message: expect.stringMatching(/lies outside of it/),
        });
      }
    },
  );

  it('and data that declare entities are refused before anything unfolds', async () => {
    const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join('');
    const bomb = (rootName: string, body: string): string =>
      `<?xml version="1.0"?><!DOCTYPE ${rootName} [<!ENTITY l0 "ha">${laughs}]>${body}`;
    const xml = header(entry)
      .replace(/^<\?xml[^>]*>/, '')
      .replace('measurementId="1"', 'measurementId="&l9;"');
    await expect(
      openImport([await folderOf({ 'unisens.xml': bomb('unisens', xml), ...data })], utc),
    ).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT', message: expect.stringMatching(/document type/) });
    const bad = signal('id="b.xml" contentClass="RESP" sampleRate="1"', '<xmlFileFormat/>', ['a']);
    const body = '<signal><sample><data>&l9;</data></sample></signal>';
    await expect(
      openImport([await folderOf({ 'unisens.xml': header(bad), 'b.xml': bomb('signal', body) })], utc),
    ).rejects.toMatchObject({ code: 'UNSUPPORTED_FORMAT', message: expect.stringMatching(/document type/) });
  });

  it('that is no XML, or of something else, is refused', async () => {
    for (const text of ['<unisens', `${header(entry)}<more/>`, '<other/>']) {
      await expect(openImport([await folderOf({ 'unisens.xml': text, ...data })], utc)).rejects.toMatchObject({
        code: 'FILE_DAMAGED',
      });
    }
  });
});

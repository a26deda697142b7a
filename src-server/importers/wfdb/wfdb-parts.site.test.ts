/** WFDB records of several segments, shifted signals, steps, FLAC, and what the headers promise of the samples. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImport } from '../../testing/import-fixtures.ts';
import { openImport } from '../index.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'outpost-wfdb-parts-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function folderOf(files: Record<string, string | Uint8Array>): Promise<string> {
  const folder = join(root, crypto.randomUUID());
  await mkdir(folder);
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

const int16 = (values: number[]): Buffer => Buffer.from(Int16Array.from(values).buffer);
const START = '10:00:00 1/6/2024';
const START_US = Date.UTC(2024, 5, 1, 10) * 1000;
const RATE = 100;
const frameOf = (timeUs: number): number => Math.round(((timeUs - START_US) * RATE) / 1e6);
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
const checksum = (values: number[]): number => (values.reduce((sum, value) => (sum + value) & 0xffff, 0) << 16) >> 16;

/** A segment in format 16; leads by time. */
function segment(name: string, leads: Record<string, number[]>, gain = '200'): Record<string, string | Uint8Array> {
  const entries = Object.entries(leads);
  const frames = entries[0]![1].length;
  const lines = entries.map(
    ([lead, values]) => `${name}.dat 16 ${gain}/mV 12 0 ${values[0]} ${checksum(values)} 0 ${lead}`,
  );
  const samples = range(0, frames).flatMap((frame) => entries.map(([, values]) => values[frame]!));
  return {
    [`${name}.hea`]: `${name} ${entries.length} ${RATE} ${frames}\n${lines.join('\n')}\n`,
    [`${name}.dat`]: int16(samples),
  };
}

const one = range(0, 500);
const two = range(1000, 1700);

describe('a record of segments', () => {
  it('of one layout is one recording, in which a null segment is a gap', async () => {
    const files = {
      'night.hea': `night/3 2 ${RATE} 1500 ${START}\nnight_1 500\n~ 300\nnight_2 700\n`,
      ...segment('night_1', { II: one, V5: one.map((value) => -value) }),
      ...segment('night_2', { II: two, V5: two.map((value) => -value) }),
    };
    const folder = await folderOf(files);
    const all = Object.keys(files).map((name) => join(folder, name));
    for (const paths of [[folder], [join(folder, 'night.hea')], all]) {
      const { channels, notes, marks } = await readImport(paths);
      expect(channels.map(({ channel }) => channel.dimensions)).toEqual([['v', 'v5']]);
      const [ecg] = channels;
      expect(ecg!.timesUs.map(frameOf)).toEqual([...range(0, 500), ...range(800, 1500)]);
      expect(ecg!.counts).toEqual([[...one, ...two], [...one, ...two].map((value) => -value + 0)]);
      expect(notes).toContain('1 segments hold no recording, 3 s in all, and are gaps.');
      expect(marks).toEqual([{ channel: 0, timeUs: START_US + 4.99e6, reason: 'LOST_BLOCK' }]);
    }
  });

  it('of a variable layout has the signals of each segment, and gaps where one has them not', async () => {
    const folder = await folderOf({
      'v.hea': `v/4 3 ${RATE} 1300 ${START}\nv_layout 0\nv_1 500\n~ 100\nv_2 700\n`,
      'v_layout.hea': `v_layout 3 ${RATE} 0\n~ 0 200 12 0 0 0 0 II\n~ 0 100/mmHg 12 0 0 0 0 ABP\n~ 0 200 12 0 0 0 0 V5\n`,
      ...segment('v_1', { II: one, V5: one.map((value) => value + 1) }),
      ...segment('v_2', { V5: two }),
    });
    const { channels, notes } = await readImport([folder]);
    expect(channels.map(({ channel }) => [channel.type, channel.dimensions])).toEqual([
      ['ECG', ['v']],
      ['ECG_2', ['v5']],
    ]);
    expect(channels[0]!.timesUs.map(frameOf)).toEqual(range(0, 500));
    expect(channels[0]!.counts).toEqual([one]);
    expect(channels[1]!.timesUs.map(frameOf)).toEqual([...range(0, 500), ...range(600, 1300)]);
    expect(channels[1]!.counts).toEqual([[...one.map((value) => value + 1), ...two]]);
    expect(notes[0]).toBe('II: 800 samples are marked as missing and are gaps of ECG.');
  });

  it('keeps another calibration as a channel of its own, so that no value is scaled wrongly', async () => {
    const folder = await folderOf({
      'g.hea': `g/2 1 ${RATE} 1200 ${START}\ng_1 500\ng_2 700\n`,
      ...segment('g_1', { II: one }),
      ...segment('g_2', { II: two }, '400'),
    });
    const { channels } = await readImport([folder]);
    expect(channels.map(({ values }) => values[0]![10]!.toPrecision(6))).toEqual(['0.0000500000', '0.00252500']);
    expect(channels.map(({ timesUs }) => frameOf(timesUs[0]!))).toEqual([0, 500]);
  });

  it('is refused where a segment is missing, has another length or rate, or does not match its checksum', async () => {
    const master = (line: string) => ({ 'm.hea': `m/1 1 ${RATE} 500 ${START}\n${line}\n` });
    const whole = segment('m_1', { II: one });
    const refused = async (files: Record<string, string | Uint8Array>) =>
      openImport([join(await folderOf(files), 'm.hea')]).then(
        () => 'opened',
        (thrown) => `${thrown.code} ${thrown.message}`,
      );
    expect(await refused({ ...master('m_1 500'), ...whole })).toBe('opened');
    expect(await refused(master('m_1 500'))).toMatch(/^NOT_FOUND m\.hea needs m_1\.hea/);
    expect(await refused({ ...master('m_1 499'), ...whole })).toMatch(/^FILE_DAMAGED .*m_1 499 samples/);
    const faster = String(whole['m_1.hea']).replace(` ${RATE} `, ' 200 ');
    expect(await refused({ ...master('m_1 500'), ...whole, 'm_1.hea': faster })).toMatch(
      /^FILE_DAMAGED .*200 samples a/,
    );
    const other = int16(one.map((value, i) => (i === 333 ? value + 1 : value)));
    expect(await refused({ ...master('m_1 500'), ...whole, 'm_1.dat': other })).toMatch(
      /^FILE_DAMAGED m_1\.dat.*checksum/,
    );
    expect(await refused({ ...master('../m_1 500'), ...whole })).toMatch(/^FILE_DAMAGED .*segment 1 is not described/);
  });
});

describe('one record', () => {
  it('states that its clock has no zone', async () => {
    const source = await openImport([
      await folderOf({ 'c.hea': `c 1 ${RATE} 2 ${START}\nc.dat 16\n`, 'c.dat': int16([1, 2]) }),
    ]);
    expect(source.clock).toEqual({ kind: 'WALL_CLOCK', wallStart: '2024-06-01T10:00:00.000' });
    await source.close();
  });

  it('has a shifted signal at the time of the others, and a gap where the file ends before it', async () => {
    // 100 frames; the second signal lies 7 frames behind the first.
    const samples = range(0, 100).flatMap((frame) => [frame, frame - 7]);
    const header = `s 2 ${RATE} 100 ${START}\ns.dat 16 200 12 0 0 0 0 II\ns.dat 16:7 200 12 0 0 0 0 V5\n`;
    const sums = header.replace('0 0 0 II', `0 ${checksum(range(0, 100))} 0 II`);
    const { channels } = await readImport([await folderOf({ 's.hea': sums, 's.dat': int16(samples) })]);
    expect(channels.map(({ counts }) => counts)).toEqual([[range(0, 100)], [range(0, 93)]]);
    expect(channels[1]!.timesUs.map(frameOf)).toEqual(range(0, 93));
    // With the frames that the shift needs, nothing is missing; over several batches too.
    const long = range(0, 20_007).flatMap((frame) => [frame % 3000, (frame - 7) % 3000]);
    const more = `s 2 ${RATE} 20000 ${START}\ns.dat 16 200 12 0 0\ns.dat 16:7 200 12 0 -7\n`;
    const read = await readImport([await folderOf({ 's.hea': more, 's.dat': int16(long) })]);
    const expected = range(0, 20_000).map((frame) => frame % 3000);
    expect(read.channels.map(({ counts }) => counts)).toEqual([[expected], [expected]]);
  });

  it('lies in several files of any name, each with its own format and byte offset', async () => {
    const header = `f 2 ${RATE} 3 ${START}\nleft.x 16+5 200 12 0 1 6 0 II\nright-hand 80+2 200 8 0 -1 -6 0 V5\n`;
    const files = {
      'f.hea': header,
      'left.x': Buffer.concat([Buffer.from('spare'), int16([1, 2, 3])]),
      'right-hand': Buffer.from([9, 9, 127, 126, 125]),
    };
    const { channels } = await readImport([await folderOf(files)]);
    expect(channels[0]!.counts).toEqual([
      [1, 2, 3],
      [-1, -2, -3],
    ]);
  });

  it('in format 8 adds up the steps from the initial values', async () => {
    const steps = [0, 5, 100, -3, -128, 127, 1, 1];
    const header = `d 2 ${RATE} 4 ${START}\nd.dat 8 200 12 0 1000 ${checksum([1000, 1100, 972, 973])} 0 II\nd.dat 8 200 12 0 -20 ${checksum([-15, -18, 109, 110])} 0 V5\n`;
    const files = { 'd.hea': header, 'd.dat': Buffer.from(Int8Array.from(steps).buffer) };
    const { channels } = await readImport([await folderOf(files)]);
    expect(channels[0]!.counts).toEqual([
      [1000, 1100, 972, 973],
      [-15, -18, 109, 110],
    ]);
    await expect(
      openImport([await folderOf({ ...files, 'd.hea': header.replace('0 1000 ', '0 1001 ') })]),
    ).rejects.toMatchObject({ code: 'FILE_DAMAGED', message: expect.stringMatching(/checksum/) });
  });
});

/** Made with flac 1.4.2 from the samples of `small`: 3 channels, 16 bits. */
const small = range(0, 24).map((i) => ((i * i * 37) % 400) - 200);
const SMALL_FLAC =
  'ZkxhQwAAACIQABAAAAAuAAAuAD6E8AAAAAjcOyJMZ7aoMPeqGpt51TrFhAAAKCAAAAByZWZlcmVuY2UgbGliRkxBQyAxLjQuMiAyMDIyMTAyMgAAAAD/+GwoAAcBHBL/OAIM0yOCxLFX7GiADmLHzTH6khqtgQAiz5VUPqk+6Y9WgM1s';

const flacHeader = (name: string, format: number, leads: number[][], perFrame = 1): string => {
  const field = perFrame === 1 ? `${format}` : `${format}x${perFrame}`;
  const lines = leads.map(
    (values, l) =>
      `${name}.flac ${field} 200 ${format - 500} 0 ${perFrame === 1 ? values[0] : 0} ${checksum(values)} 0 lead ${l}`,
  );
  return `${name} ${leads.length} ${RATE} ${leads[0]!.length / perFrame} ${START}\n${lines.join('\n')}\n`;
};
const byLead = (samples: number[], leads: number): number[][] =>
  range(0, leads).map((lead) => samples.filter((_, i) => i % leads === lead));

describe('FLAC', () => {
  it('is read exactly', async () => {
    const leads = byLead(small, 3);
    const files = { 's.hea': flacHeader('s', 516, leads), 's.flac': Buffer.from(SMALL_FLAC, 'base64') };
    const { channels } = await readImport([await folderOf(files)]);
    expect(channels.map(({ counts }) => counts[0])).toEqual(leads);
  });

  it('with a flipped bit, a cut end or another form than the header says is refused', async () => {
    const leads = byLead(small, 3);
    const whole = Buffer.from(SMALL_FLAC, 'base64');
    const flipped = Buffer.from(whole);
    flipped[flipped.length - 12]! ^= 8;
    const refused = async (bytes: Buffer, header = flacHeader('s', 516, leads)) =>
      openImport([await folderOf({ 's.hea': header, 's.flac': bytes })]).then(
        () => 'opened',
        (thrown) => `${thrown.code} ${thrown.message}`,
      );
    expect(await refused(whole)).toBe('opened');
    expect(await refused(flipped)).toMatch(/^FILE_DAMAGED .*FLAC frame at byte/);
    expect(await refused(whole.subarray(0, -20))).toMatch(/^FILE_DAMAGED .*ends before/);
    expect(await refused(whole, flacHeader('s', 524, leads))).toMatch(/^FILE_DAMAGED .*3 channels of 16 bits/);
    expect(await refused(whole, flacHeader('s', 516, leads.slice(1)))).toMatch(/^FILE_DAMAGED .*3 channels/);
    expect(await refused(Buffer.from('no stream'.repeat(20)))).toMatch(/^FILE_DAMAGED .*no FLAC stream/);
  });

  const FLAC = '/usr/bin/flac';
  /** A pseudorandom walk, white noise and silence exercise predictors, raw blocks and constants. */
  const signalOf = (kind: string, bits: number, count: number, seed: number): number[] => {
    const limit = 2 ** (bits - 1) - 1;
    let state = seed;
    let level = 0;
    return range(0, count).map((i) => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      const noise = state / 2 ** 32 - 0.5;
      if (kind === 'noise') return Math.round(noise * 2 * limit) + 0;
      if (kind === 'silence') return i < count / 2 ? limit : -limit;
      level = Math.max(-limit, Math.min(limit, level + noise * limit * 0.02 + Math.sin(i / 9) * limit * 0.01));
      return Math.round(level / 4) * 4 + 0;
    });
  };

  describe.runIf(existsSync(FLAC))('of the reference encoder', () => {
    it.each(
      [8, 16, 24].flatMap((bits) =>
        [
          [1, '-0'],
          [2, '-8'],
          [3, '-5'],
          [8, '--lax'],
        ].map(([leads, level]) => [bits, leads as number, level as string] as const),
      ),
    )('%i bits in %i channels (%s) is read to the bit', async (bits, leads, level) => {
      const count = 9000;
      const kinds = ['walk', 'noise', 'walk', 'silence', 'walk', 'noise', 'walk', 'walk'];
      const columns = range(0, leads).map((lead) =>
        signalOf(kinds[lead]!, bits, count, 7 + lead - (lead === 1 ? 1 : 0)),
      );
      // A second channel near the first is packed as their difference.
      if (leads === 2) columns[1] = columns[0]!.map((value, i) => Math.trunc((value * 7) / 8) + (i % 3));
      const bytes = bits / 8;
      const raw = Buffer.alloc(count * leads * bytes);
      columns.forEach((values, lead) => {
        values.forEach((value, i) => {
          raw.writeIntLE(value, (i * leads + lead) * bytes, bytes);
        });
      });
      const format = 500 + bits;
      const folder = await folderOf({ 'r.hea': flacHeader('r', format, columns, 2), 'r.raw': raw });
      const form = [`--channels=${leads}`, `--bps=${bits}`, '--sample-rate=200', '--endian=little', '--sign=signed'];
      execFileSync(FLAC, [
        '-s',
        level,
        '--force-raw-format',
        ...form,
        '-o',
        join(folder, 'r.flac'),
        join(folder, 'r.raw'),
      ]);
      await rm(join(folder, 'r.raw'));
      const { channels } = await readImport([join(folder, 'r.hea')]);
      expect(channels.map(({ counts }) => counts[0])).toEqual(columns);
      expect(channels[0]!.channel.nominalRateHz).toBe(2 * RATE);
      expect((await readFile(join(folder, 'r.flac'))).length).toBeGreaterThan(100);
    });
  });
});

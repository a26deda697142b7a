import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DEFAULT_START_US, readImport } from '../testing/import-fixtures.ts';
import { realData } from '../testing/real-data.ts';
import { openImport } from './index.ts';

const formats = realData('formats');
const at = (name: string): string => `${formats}/${name}`;

describe.runIf(formats)('files that nobody here wrote', () => {
  it('reads MIT-BIH record 100 with the samples and beats that are published for it', async () => {
    const reference = realData('ecg/mitdb-100.json');
    const read = await readImport([at('wfdb/100.hea')]);
    const ecg = read.channels[0]!;
    expect(ecg.channel).toMatchObject({ type: 'ECG', dimensions: ['v', 'v5'], unit: 'V', nominalRateHz: 360 });
    expect(ecg.counts[0]!.length).toBe(650_000);
    expect(ecg.counts[0]!.slice(0, 10)).toEqual([995, 995, 995, 995, 995, 995, 995, 995, 1000, 997]);
    expect(ecg.values[0]![0]).toBe(-0.000145);
    expect(ecg.timesUs[360]).toBe(DEFAULT_START_US + 1_000_000);
    const beats = read.labels.filter(({ displayName }) => displayName !== 'Rhythm change');
    expect(beats.length).toBe(2273);
    if (reference) {
      const { beats: samples, labels } = JSON.parse(readFileSync(reference, 'utf8'));
      expect(beats.map(({ startUs }) => Math.round(((startUs - DEFAULT_START_US) * 360) / 1e6))).toEqual(samples);
      expect(beats.map(({ value }) => value).join('')).toBe(labels);
      const stored = realData('ecg/mitdb-100.i16.gz');
      const raw = new Uint8Array(gunzipSync(readFileSync(stored as string)));
      expect(ecg.counts[0]).toEqual([...new Int16Array(raw.buffer)]);
    }
  });

  it('finds a WFDB record by any one of its files', async () => {
    const { channels, labels } = await readImport([at('wfdb/100.atr')]);
    expect(channels[0]!.counts[1]![0]).toBe(1011);
    expect(labels.length).toBe(2274);
  });

  it('reads a MATLAB v4 record and keeps other signals than ECG as separate channels', async () => {
    const { channels } = await readImport([at('wfdb/a103l.mat')]);
    expect(channels.map(({ channel }) => [channel.type, channel.dimensions, channel.unit])).toEqual([
      ['ECG', ['v', 'lead_v'], 'V'],
      ['PLETH', ['v'], 'NU'],
    ]);
    expect(channels[0]!.counts[0]![0]).toBe(-171);
    expect(channels[0]!.counts[1]![0]).toBe(9127);
    expect(channels[0]!.values[0]![0]).toBeCloseTo(-171 / 7247 / 1000, 15);
    expect(channels[1]!.counts[0]!.length).toBe(82_500);
  });

  it('asks for a start time where a record has none', async () => {
    await expect(openImport([at('wfdb/100.hea')])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it.each(['left', 'right'])('reads the %s wrist to exactly the doubles of its text', async (side) => {
    const path = at(`mc10/wrist-${side}/accel.csv.gz`);
    const rows = gunzipSync(readFileSync(path)).toString().trim().split('\n').slice(1);
    const { channels, notes } = await readImport([path]);
    const accel = channels[0]!;
    expect(accel.channel).toMatchObject({ type: 'ACCEL', nominalRateHz: 250, sampleBits: 16 });
    expect(accel.channel.scale[0]).toBeCloseTo(32 / 65_535, 15);
    expect(accel.timesUs).toEqual(rows.map((row) => Number(row.split(',')[0])));
    for (const d of [0, 1, 2]) expect(accel.values[d]).toEqual(rows.map((row) => Number(row.split(',')[d + 1])));
    expect(notes).toEqual([]);
  });

  it('finds the grids of a real motion export', async () => {
    const { channels } = await readImport([at('mc10/reflex-hammer.zip')]);
    expect(channels.map(({ channel }) => [channel.type, channel.unit, channel.nominalRateHz])).toEqual([
      ['ACCEL', 'g', 62.5],
      ['GYRO', 'dps', 62.5],
    ]);
    expect(channels[0]!.channel.scale[0]! * 65_535).toBeCloseTo(8, 12);
    expect(channels[1]!.channel.scale[0]! * 65_535).toBeCloseTo(4000, 9);
    expect(channels[0]!.timesUs).toEqual(channels[1]!.timesUs);
  });

  it('takes an electrode file as EMG on a muscle and as ECG on the chest', async () => {
    const path = at('mc10/reflex-elec.zip');
    expect((await readImport([path], { location: 'RECTUS_FEMORIS' })).channels[0]!.channel.type).toBe('EMG');
    const chest = await readImport([path], { location: 'MEDIAL_CHEST' });
    expect(chest.channels[0]!.channel.type).toBe('ECG');
    expect(chest.header.physicalConfig).toEqual({ location: 'MEDIAL_CHEST', side: 'NONE', signal: 'ECG' });
    expect(chest.channels[0]!.channel.scale[0]! * 65_535).toBeCloseTo(2.42 / 6, 12);
  });

  it('reads the waveforms of the EDF generator', async () => {
    const { channels, labels, format } = await readImport([at('edf/test_generator.edf')]);
    expect(format).toBe('EDF+C');
    expect(channels.length).toBe(11);
    expect(labels.map(({ displayName }) => displayName)).toEqual(['Recording starts', 'Recording ends']);
    const sine = channels.find(({ channel }) => channel.type === 'SINE_1_HZ');
    expect(sine?.counts[0]?.length).toBe(120_000);
    const values = sine?.values[0] ?? [];
    let worst = 0;
    for (let i = 0; i < values.length; i++) {
      worst = Math.max(worst, Math.abs(values[i]! - 100 * Math.sin((2 * Math.PI * (i + 1)) / 200)));
    }
    expect(worst).toBeLessThan(0.1);
    expect(new Date(channels[0]!.timesUs[0]! / 1000).toISOString()).toBe('2011-04-04T12:57:02.000Z');
  });

  it('reads BDF with five rates in one file', async () => {
    const { channels, format } = await readImport([at('edf/test_generator.bdf')]);
    expect(format).toBe('BDF+C');
    expect(channels.map(({ channel, counts }) => [channel.nominalRateHz, counts[0]!.length])).toEqual([
      [1000, 30_000],
      [800, 24_000],
      [500, 15_000],
      [975, 29_250],
      [999, 29_970],
    ]);
    const sine = channels[0]!.values[0]!;
    let worst = 0;
    for (let i = 0; i < sine.length; i++) {
      worst = Math.max(worst, Math.abs(sine[i]! - 1000 * Math.sin((2 * Math.PI * 5 * (i + 1)) / 1000)));
    }
    expect(worst).toBeLessThan(2);
    const square = channels[1]!.values[0]!;
    expect(new Set(square.map((value) => Math.round(Math.abs(value)))).size).toBeLessThan(4);
  });

  it('keeps the fraction of a start, reads wall clocks in the given zone, and UTF-8 text', async () => {
    const utc = await readImport([at('edf/test_subsecond.edf')]);
    expect(utc.channels[0]!.timesUs[0]).toBe(Date.UTC(2020, 0, 24, 4, 5, 56) * 1000 + 394_531);
    const tokyo = await readImport([at('edf/test_subsecond.edf')], { timeZone: 'Asia/Tokyo' });
    expect(utc.channels[0]!.timesUs[0]! - tokyo.channels[0]!.timesUs[0]!).toBe(9 * 3600e6);
    const utf8 = await readImport([at('edf/test_utf8.edf')]);
    expect(utf8.labels.map(({ displayName }) => displayName)).toContain('中文测试八个字');
  });

  it('reads the labels of a file that has only annotations', async () => {
    const source = await openImport([at('edf/test_edfann.edf')]);
    expect(source.recordings).toEqual([]);
    expect(source.labels.length).toBe(856);
    expect(source.labels[0]).toMatchObject({ displayName: 'Sleep stage W' });
    expect(source.labels[0]!.stopUs - source.labels[0]!.startUs).toBe(30e6);
    await source.close();
  });
});

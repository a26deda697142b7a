import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { channelOf, headerOf, temporaryFolder } from '../testing/signal-fixtures.ts';
import { BLOCK_HEAD_BYTES } from './codec/block.ts';
import { createSignalFile, openSignalFileSync, sampleTimesUs, verifySignalFile } from './index.ts';
import type { SignalHeader } from './types.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const document = readFileSync(new URL('../../resources/protocol/recording-format.md', import.meta.url), 'utf8');
const sections = [...document.matchAll(/```hex\n([\s\S]*?)```/g)].map(([, text]) => {
  const rows = text!.trim().split('\n');
  return Buffer.from(
    rows
      .map((row) => row.slice(4))
      .join('')
      .replace(/\s+/g, ''),
    'hex',
  );
});

const header: SignalHeader = {
  ...headerOf([{ ...channelOf('ECG', ['v'], 250), scale: [1e-6] }]),
  recordingId: 'e1',
  deviceRecordingId: 0,
  udid: '',
  hardwareId: '',
  firmwareId: '',
  sensorConfig: {},
  source: { format: 'example', fileName: '', sha256: '' },
};
const counts = Int16Array.of(100, 102, 101, 99, 100, 103);
const mark = { channel: 0, timeUs: 1_700_000_000_030_000, reason: 'EMPTY_SAMPLE' };

it('reads the worked example of the format document as that document says', async () => {
  const path = join(folder.path, 'example.sig');
  writeFileSync(path, Buffer.concat(sections));
  expect((await verifySignalFile(path)).problems).toEqual([]);
  const file = openSignalFileSync(path);
  expect(file.header).toEqual(header);
  const [page] = [...file.pages(0)];
  expect(page!.columns).toEqual([counts]);
  expect([...sampleTimesUs(page!)].map((time) => time - 1.7e15)).toEqual([0, 4001, 8001, 12002, 16002, 20003]);
  expect(file.marksSync()).toEqual([mark]);
  file.closeSync();
});

it('writes the example as documented, except for the choices of zstd', async () => {
  const path = join(folder.path, 'written.sig');
  const writer = await createSignalFile(path, header);
  await writer.append({ channel: 0, startUs: 1.7e15, periodUs: 4000.5, count: 6, columns: [counts] });
  await writer.mark(mark);
  await writer.finish();
  const bytes = readFileSync(path);
  const [preamble, page] = sections;
  expect(bytes.subarray(0, preamble!.length)).toEqual(preamble);
  const at = preamble!.length;
  expect(bytes.subarray(at, at + 8)).toEqual(page!.subarray(0, 8));
  expect(bytes.subarray(at + 12, at + 56)).toEqual(page!.subarray(12, 56));
  const tableAt = BLOCK_HEAD_BYTES;
  expect(bytes.subarray(at + tableAt, at + tableAt + 8)).toEqual(page!.subarray(tableAt, tableAt + 8));
});

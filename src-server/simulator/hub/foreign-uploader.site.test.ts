/** The protocol documents suffice: a device in another language, written from them alone, uploads to a real site. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { openSignalFile } from '../../signals/index.ts';
import { startTestLanSite } from '../../testing/test-lan-site.ts';

const UPLOADER = join(import.meta.dirname, '..', '..', '..', 'e2e', 'support', 'uploader.py');
const SENSOR = 'SN-PY';
const UDID = 'AA:BB:CC:00:00:42';
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('No python3 on this computer: the uploader of the documents is not tried.\n');

it.runIf(hasPython)(
  'a device made from the documents in Python pairs, pins the key, records and uploads with a cut',
  async () => {
    const test = await startTestLanSite();
    try {
      const { store, signalsDir } = test.site.folder;
      const { accountId, studyId, userId, subjectIds } = test.place;
      const change = { actor: { type: 'USER', id: userId } } as const;
      await store.equipment.register({ accountId, id: SENSOR, type: 'SENSOR', udid: UDID }, change);
      await store.equipment.assign(SENSOR, { studyId, subjectId: subjectIds[0] ?? '', atTs: 1 }, change);
      await store.studies.move(test.place.studyId, 'start', change);
      const { id: pairingId, link } = await test.startPairing();
      const startUs = (Date.now() - 6 * 3_600_000) * 1000;
      const child = spawn('python3', [UPLOADER, link, SENSOR, UDID, String(startUs), '100000'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines: string[] = [];
      createInterface(child.stdout).on('line', (line) => {
        lines.push(line);
        const checkCode = /^check (\S+)$/.exec(line)?.[1];
        if (checkCode) void test.client.call('confirmPairing', { params: { pairingId }, body: { checkCode } });
      });
      const [code] = await once(child, 'close');
      expect(code).toBe(0);
      const ended = JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;
      expect(ended).toMatchObject({
        state: 'STORED',
        resumed: [0, 65_536],
        sensors: [SENSOR],
        refusals: ['UNAUTHORIZED', 'DEVICE_WRONG_SITE'],
      });
      const path = join(signalsDir, `${ended.storedRecordingId}.sig`);
      expect(createHash('sha256').update(readFileSync(path)).digest('hex')).toBe(ended.sha256);
      const file = await openSignalFile(path);
      expect([file.complete, file.problems, file.sampleCounts]).toEqual([true, [], [150_000]]);
      const [page] = await file.read(0, startUs, startUs + 1_000_000);
      await file.close();
      expect(Array.from(page?.columns[0]?.subarray(6, 10) ?? [])).toEqual([900, 900, 0, 0]);
    } finally {
      await test.close();
    }
  },
);

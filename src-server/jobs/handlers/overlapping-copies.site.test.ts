import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Engine, startEngine } from '../../site/engine.ts';
import { openSite, type SiteFolder } from '../../site/folder.ts';
import type { ImportPayload } from '../../study/jobs.ts';
import { madeCwa } from '../../testing/made-cwa.ts';
import { makeTestSite, type TestSite } from '../../testing/test-site.ts';
import type { ImportResult } from './import.ts';

let site: TestSite;
let folder: SiteFolder;
let engine: Engine;
beforeAll(async () => {
  site = await makeTestSite({ timeZones: ['UTC', 'UTC'] });
  folder = await openSite(site.dir);
  engine = await startEngine(folder);
});
afterAll(async () => {
  await engine?.close();
  await folder?.close();
  await site?.remove();
});

async function imported(content: Buffer, { subject = 0, ...more }: Partial<ImportPayload> & { subject?: number } = {}) {
  const path = join(site.dir, '..', `${crypto.randomUUID()}.cwa`);
  await writeFile(path, content);
  const job = await engine.jobs.enqueue('import', {
    studyId: site.studyId,
    subjectId: site.subjectIds[subject]!,
    paths: [path],
    options: { timeZone: 'UTC' },
    ownsFiles: false,
    ...more,
  });
  const { error, result } = await engine.jobs.whenEnded(job.id);
  return { error, recording: (result as ImportResult | undefined)?.recordings[0] };
}

const count = async () => (await folder.store.recordings.listForSubject(site.subjectIds[0]!)).length;

describe('copies of a recording that is stored', () => {
  it('are the stored one when they are shorter, and a question when they are longer or of another session', async () => {
    const start = new Date(Date.UTC(2026, 0, 5, 9));
    const first = (await imported(madeCwa({ start, blocks: 600 }))).recording!;
    expect(first.isNew).toBe(true);

    const shorter = (await imported(madeCwa({ start, blocks: 300 }))).recording!;
    expect(shorter).toMatchObject({ id: first.id, isNew: false });
    expect(shorter.notes.join()).toContain(`shorter copy of recording ${first.id}`);

    const longer = madeCwa({ start, blocks: 900 });
    const refused = await imported(longer);
    expect(refused.error).toMatchObject({ code: 'RECORDING_OVERLAP', details: { recordingId: first.id } });
    expect(refused.error!.message).toContain(`copy of recording ${first.id}`);
    expect(refused.error!.message).toContain('holds more than it');
    const inside = new Date(start.getTime() + 60_000);
    const other = await imported(madeCwa({ start: inside, sessionId: 27, seed: 3 }), { subject: 1 });
    expect(other.error).toMatchObject({ code: 'RECORDING_OVERLAP', details: { recordingId: first.id } });
    expect(await count()).toBe(1);

    const accepted = (await imported(longer, { acceptsOverlap: true })).recording!;
    expect(accepted.isNew).toBe(true);
    expect(accepted.notes.join()).toContain(`Shares time with recording ${first.id}`);
    expect(await count()).toBe(2);
  });

  it('are a question when the stored one has holes, or its file is lost', async () => {
    const start = new Date(Date.UTC(2026, 0, 12, 9));
    const clean = madeCwa({ start, serial: 5, blocks: 400 });
    const damaged = Buffer.from(clean);
    for (let block = 100; block < 140; block++) damaged.fill(0, 1024 + 512 * block, 1536 + 512 * block);
    const first = (await imported(damaged)).recording!;
    const again = await imported(clean);
    expect(again.error).toMatchObject({ code: 'RECORDING_OVERLAP', details: { recordingId: first.id } });
    expect((await imported(clean, { acceptsOverlap: true })).recording!.isNew).toBe(true);

    const other = { start, serial: 6, seed: 5 };
    const lost = (await imported(madeCwa({ ...other, blocks: 400 }))).recording!;
    await folder.store.recordings.setFileState(lost.id, 'MISSING', { actor: { type: 'SYSTEM' } });
    const shorter = await imported(madeCwa({ ...other, blocks: 300 }));
    expect(shorter.error).toMatchObject({ code: 'RECORDING_OVERLAP', details: { recordingId: lost.id } });
  });

  it('are stored when they share no time, or come from another device', async () => {
    const start = new Date(Date.UTC(2026, 0, 7, 9));
    const [one, two] = [
      await imported(madeCwa({ start, serial: 1 })),
      await imported(madeCwa({ start, serial: 2, seed: 2 })),
    ];
    expect([one.recording!.isNew, two.recording!.isNew]).toEqual([true, true]);
    const later = await imported(madeCwa({ start: new Date(start.getTime() + 600_000), serial: 1, seed: 4 }));
    expect(later.recording!.isNew).toBe(true);
  });
});

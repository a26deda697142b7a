/** Recordings on docked recorders, from the plug to the confirmation, with plain folders as drives. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SiteControl } from '../site/control/control-server.ts';
import { confirmTransfer, dockCommands, listTransfers, takeTransfer } from '../site/dock-commands.ts';
import { infoText, logRecord, ticksOf, wide, zipOf } from '../testing/actigraph-files.ts';
import { type DockSite, openDockSite } from '../testing/dock-site.ts';
import { madeCwa } from '../testing/made-cwa.ts';

let dock: DockSite;
let place: { studyId: string; subjectId: string };
beforeEach(async () => {
  dock = await openDockSite();
  place = { studyId: dock.site.studyId, subjectId: dock.site.subjectIds[0]! };
});
afterEach(async () => {
  await dock.close();
  expect(dock.problems).toEqual([]);
});

const only = async () => {
  const all = await dock.shown();
  expect(all).toHaveLength(1);
  return all[0]!;
};
const actions = async (id: string) =>
  (await dock.folder.store.audit.list({ entityType: 'transfer', entityId: id, limit: 50 }))
    .map(({ action }) => action)
    .reverse();

describe('a docked recorder', () => {
  it('is offered to its holder, copied, verified, imported, analysed and confirmed; the drive stays as it was', async () => {
    const content = madeCwa();
    const path = await dock.plug('AX317_39434', content);
    const before = await stat(join(path, 'CWA-DATA.CWA'));
    await dock.look();
    const offered = await only();
    expect(offered.match).toMatchObject({ ...place, equipmentId: 'AX3-39434', startTs: Date.UTC(2026, 0, 5, 9) });
    expect(offered.match!.question).toBeUndefined();

    await dock.docks.take(offered.id, place, dock.change);
    const { row } = await dock.reach(offered.id, 'STORED');
    expect(row).toMatchObject({
      ...{ serial: '39434', sessionId: 26, model: 'AX3', blocks: 600, badBlocks: 0, receivedBytes: content.length },
      sha256: createHash('sha256').update(content).digest('hex'),
    });
    const recording = await dock.folder.store.recordings.require(row!.recordingIds![0]!);
    expect(recording).toMatchObject({ ...place, equipmentId: 'AX3-39434', sourceFileName: 'AX3_39434_26.cwa' });
    await dock.engine.jobs.whenIdle();
    expect((await dock.folder.store.recordings.require(recording.id)).dataState).toBe('ANALYSED');

    const confirmed = await dock.docks.confirm(offered.id, dock.change);
    expect(confirmed.row).toMatchObject({ state: 'CONFIRMED', confirmedBy: dock.site.userId });
    expect(await actions(offered.id)).toEqual([
      ...['transfer.take', 'transfer.import', 'transfer.store', 'transfer.confirm'],
    ]);
    const after = await stat(join(path, 'CWA-DATA.CWA'));
    expect([after.mtimeMs, after.size, await readdir(path)]).toEqual([before.mtimeMs, before.size, ['CWA-DATA.CWA']]);
    expect((await readFile(join(path, 'CWA-DATA.CWA'))).equals(content)).toBe(true);
    expect(await readdir(join(dock.folder.inboxDir, 'docks'))).toEqual([]);
  });

  it('cannot be confirmed before it is stored, nor when what is stored is damaged', async () => {
    await dock.plug('AX317_39434', madeCwa());
    await dock.look();
    const { id } = await only();
    await expect(dock.docks.confirm(id, dock.change)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await dock.docks.take(id, place, dock.change);
    const { row } = await dock.reach(id, 'STORED');
    const path = join(dock.folder.signalsDir, `${row!.recordingIds![0]}.sig`);
    const whole = await readFile(path);
    await writeFile(path, whole.subarray(0, -1));
    await expect(dock.docks.confirm(id, dock.change)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await dock.docks.get(id))!.row!.state).toBe('STORED');
    await writeFile(path, whole);
    expect((await dock.docks.confirm(id, dock.change)).row!.state).toBe('CONFIRMED');
  });

  it('that is plugged in again is the same recording; grown since, it is a question', async () => {
    await dock.plug('AX317_39434', madeCwa());
    await dock.look();
    const { id } = await only();
    await dock.docks.take(id, place, dock.change);
    await dock.reach(id, 'STORED');
    await dock.unplug('AX317_39434');
    await dock.look();
    await dock.plug('AX317_39434', madeCwa());
    await dock.look();
    expect((await only()).id).toBe(id);
    await expect(dock.docks.take(id, place, dock.change)).rejects.toMatchObject({ code: 'CONFLICT' });
    await dock.unplug('AX317_39434');
    await dock.plug('AX317_39434', madeCwa({ blocks: 700 }));
    await dock.look();
    const [longer] = await dock.shown();
    expect(longer!.match!.question!.code).toBe('OVERLAP');
  });
});

describe('a question is asked, and nothing is taken without a reason,', () => {
  const question = async (content: Buffer, label = 'AX317_39434') => {
    await dock.plug(label, content);
    await dock.look();
    const shown = await only();
    const wanted = dock.docks.take(shown.id, place, dock.change);
    if (shown.match!.question) await expect(wanted).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    else await wanted;
    return shown.match!;
  };
  it('about a recorder that is not registered here', async () => {
    expect((await question(madeCwa({ serial: 777 }), 'AX317_00777')).question!.code).toBe('SERIAL_UNKNOWN');
  });

  it('about a recorder that another account of the site has registered', async () => {
    const other = await dock.folder.store.accounts.create({ displayName: 'Other clinic' }, dock.change);
    await dock.folder.store.equipment.register({ accountId: other.id, id: '777', type: 'SENSOR' }, dock.change);
    await dock.plug('AX317_00777', madeCwa({ serial: 777 }));
    await dock.look();
    expect(await dock.shown()).toEqual([]);
    expect((await dock.docks.list(other.id))[0]!.match!.question!.code).toBe('NOT_ASSIGNED');
  });

  it('about one that recorded before it was handed out, with who had it later as a suggestion', async () => {
    const match = await question(madeCwa({ start: new Date(Date.UTC(2026, 0, 4, 23, 40)), blocks: 3000 }));
    expect(match).toMatchObject({ ...place, question: { code: 'NOT_ASSIGNED' } });
  });

  it('about one that two subjects had meanwhile', async () => {
    const { store } = dock.folder;
    const atTs = Date.UTC(2026, 0, 5, 9, 20);
    await store.equipment.unassign('AX3-39434', { ...place, atTs }, dock.change);
    const other = { studyId: place.studyId, subjectId: dock.site.subjectIds[1]!, atTs };
    await store.equipment.assign('AX3-39434', other, dock.change);
    expect((await question(madeCwa({ blocks: 4500 }))).question!.code).toBe('TWO_SUBJECTS');
  });

  it('about a label of another device, a clock that was not set, and one in the future', async () => {
    const cases = [
      ['AX317_12345', madeCwa({ seed: 2 }), 'OTHER_SENSOR'],
      ['AX317_39434', madeCwa({ start: new Date(Date.UTC(2009, 0, 1)), seed: 3 }), 'CLOCK_NOT_SET'],
      ['AX317_39434', madeCwa({ start: new Date(Date.UTC(2026, 2, 1)), seed: 4 }), 'IN_FUTURE'],
    ] as const;
    for (const [label, content, code] of cases) {
      await dock.plug(label, content);
      await dock.look();
      expect((await only()).match!.question!.code, code).toBe(code);
      await dock.unplug(label);
      await dock.look();
    }
  });

  it('and with a reason it is taken for whom a person says', async () => {
    await dock.plug('AX317_00777', madeCwa({ serial: 777 }));
    await dock.look();
    const { id } = await only();
    const subjectId = dock.site.subjectIds[1]!;
    await dock.docks.take(id, { studyId: place.studyId, subjectId, reason: 'Lent by the ward' }, dock.change);
    const { row } = await dock.reach(id, 'STORED');
    expect(row).toMatchObject({ subjectId, decisionReason: 'Lent by the ward' });
    expect((await dock.folder.store.recordings.listForSubject(subjectId)).length).toBe(1);
    expect((await dock.folder.store.recordings.listForSubject(place.subjectId)).length).toBe(0);
  });

  it('also by whom it is offered to, for another subject', async () => {
    await dock.plug('AX317_39434', madeCwa());
    await dock.look();
    const { id } = await only();
    const other = { studyId: place.studyId, subjectId: dock.site.subjectIds[1]! };
    await expect(dock.docks.take(id, other, dock.change)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await only()).row).toBeUndefined();
  });
});

describe('several at once', () => {
  it('are taken together, and by the settings without a person where the subject is certain', async () => {
    const { store } = dock.folder;
    const rules = { isOn: true, action: 'TAKE', timeZone: 'UTC', folders: [] } as const;
    for (const [index, serial] of ['501', '502', '503'].entries()) {
      await store.equipment.register({ accountId: dock.site.accountId, id: serial, type: 'SENSOR' }, dock.change);
      if (index < 2) {
        const to = { studyId: place.studyId, subjectId: dock.site.subjectIds[index]!, atTs: Date.UTC(2026, 0, 2) };
        await store.equipment.assign(serial, to, dock.change);
      }
      await dock.plug(`AX317_00${serial}`, madeCwa({ serial: Number(serial), seed: index }));
    }
    await store.settings.set('docks.rules', { ...rules, folders: [] }, dock.change);
    await dock.look();
    const ids = (await dock.shown()).filter(({ row }) => row).map(({ id }) => id);
    expect(ids).toHaveLength(2);
    const rows = await Promise.all(ids.map(async (id) => (await dock.reach(id, 'STORED')).row!));
    expect(new Map(rows.map(({ serial, subjectId }) => [serial, subjectId]))).toEqual(
      new Map([
        ['501', dock.site.subjectIds[0]],
        ['502', dock.site.subjectIds[1]],
      ]),
    );
    expect(rows.every(({ decidedBy }) => decidedBy === undefined)).toBe(true);
    const [waiting] = await dock.shown();
    expect(waiting!.match!.question!.code).toBe('NOT_ASSIGNED');
  });
});

describe('a watched folder', () => {
  it('offers what is in it, takes nothing of another study, and knows what came by a dock', async () => {
    const { store } = dock.folder;
    const path = await mkdtemp(join(tmpdir(), 'outpost-watched-'));
    try {
      const other = await store.studies.create({ accountId: dock.site.accountId, displayName: 'Other' }, dock.change);
      await mkdir(join(path, 'week 1'));
      await writeFile(join(path, 'week 1', 'p01.cwa'), madeCwa());
      const watch = async (studyId: string) =>
        await store.settings.set(
          'docks.rules',
          { isOn: true, action: 'OFFER', timeZone: 'UTC', folders: [{ path, studyId, action: 'TAKE' }] },
          dock.change,
        );
      await watch(other.id);
      await dock.look();
      expect((await only()).match!.question!.code).toBe('OTHER_STUDY');
      await watch(place.studyId);
      await dock.look();
      const { id } = await only();
      const { row } = await dock.reach(id, 'STORED');
      expect(row).toMatchObject({ source: 'FOLDER', displayName: 'week 1/p01.cwa', fileName: 'p01.cwa', ...place });
      await dock.plug('AX317_39434', madeCwa());
      await dock.look();
      expect((await only()).id).toBe(id);
    } finally {
      await rm(path, { recursive: true, force: true });
    }
  });
});

describe('a file of another maker in a watched folder', () => {
  const SERIAL = 'TAS1H30180001';
  const START = Date.UTC(2026, 0, 6, 8) / 1000;
  const HANDED_MS = Date.UTC(2026, 0, 5);
  let path: string;
  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'outpost-watched-'));
    const { store } = dock.folder;
    await store.equipment.register({ accountId: dock.site.accountId, id: SERIAL, type: 'SENSOR' }, dock.change);
    await store.equipment.assign(SERIAL, { ...place, atTs: HANDED_MS }, dock.change);
    const folders = [{ path, studyId: place.studyId, action: 'TAKE' as const }];
    await store.settings.set('docks.rules', { isOn: true, action: 'OFFER', timeZone: 'UTC', folders }, dock.change);
  });
  afterEach(() => rm(path, { recursive: true, force: true }));

  /** Two minutes of a recording, in a file that was written at that time. */
  async function drop(writtenMs: number): Promise<void> {
    const seconds = Array.from({ length: 120 }, (_, s) =>
      logRecord(0x1a, START + s, wide(Array.from({ length: 30 }, (_, i) => [s, i, 256] as const))),
    );
    const info = infoText({ TimeZone: '00:00:00', 'Start Date': ticksOf(START) });
    const file = join(path, 'p01.gt3x');
    await writeFile(file, await zipOf({ 'info.txt': info, 'log.bin': Buffer.concat(seconds) }));
    await utimes(file, writtenMs / 1000, writtenMs / 1000);
    await dock.look();
  }

  it('is matched by its serial number and taken for the only one who held the device until it was written', async () => {
    await drop(Date.UTC(2026, 0, 9));
    const { id, row } = await only();
    expect(row).toMatchObject({ serial: SERIAL, equipmentId: SERIAL, startTs: START * 1000 });
    const stored = await dock.reach(id, 'STORED');
    const recording = await dock.folder.store.recordings.require(stored.row!.recordingIds![0]!);
    expect(recording).toMatchObject({ ...place, equipmentId: SERIAL });
    expect(recording.startUs).toBe(START * 1e6);
  });

  it('is a question when another subject had the device before it was written', async () => {
    const { store } = dock.folder;
    await store.equipment.unassign(SERIAL, { ...place, atTs: Date.UTC(2026, 0, 7) }, dock.change);
    const other = { studyId: place.studyId, subjectId: dock.site.subjectIds[1]!, atTs: Date.UTC(2026, 0, 8) };
    await store.equipment.assign(SERIAL, other, dock.change);
    await drop(Date.UTC(2026, 0, 9));
    const { match, row } = await only();
    expect(row).toBeUndefined();
    expect(match!.question!.code).toBe('TWO_SUBJECTS');
  });

  it('is a question when it was written before it began', async () => {
    await dock.folder.store.equipment.unassign(SERIAL, { ...place, atTs: Date.UTC(2026, 0, 6) }, dock.change);
    await drop(Date.UTC(2026, 0, 5, 12));
    // One of the two clocks is wrong.
    expect((await only()).match!.question!.code).toBe('NO_TIMES');
  });
});

describe('the command line', () => {
  it('lists, takes and confirms in a site that runs, and says when none does', async () => {
    const path = await dock.plug('AX317_39434', madeCwa());
    await dock.look();
    const { id } = await only();
    await expect(listTransfers(dock.site.dir)).rejects.toMatchObject({ code: 'SITE_MISSING' });
    const control = await SiteControl.start(dock.site.dir, dockCommands(dock.docks, dock.folder.store));
    try {
      expect(await listTransfers(dock.site.dir)).toMatchObject([{ id, state: 'OFFERED', found: 'AX317_39434' }]);
      await takeTransfer(dock.site.dir, { id: id.slice(0, 8) });
      await dock.reach(id, 'STORED');
      expect(await confirmTransfer(dock.site.dir, { id, reason: 'Checked by N. Sato' })).toMatchObject({
        state: 'CONFIRMED',
      });
      const [entry] = await dock.folder.store.audit.list({ entityType: 'transfer', entityId: id, limit: 1 });
      expect(entry).toMatchObject({ action: 'transfer.confirm', reason: 'Checked by N. Sato' });
      expect(await readdir(path)).toEqual(['CWA-DATA.CWA']);
    } finally {
      await control.close();
    }
  });
});

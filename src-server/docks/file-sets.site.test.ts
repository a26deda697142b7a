/** Files that belong together in a watched folder: one offer, one recording, and nothing that came later is lost. */
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutpostError } from '../errors.ts';
import { avroFile } from '../testing/avro-writer.ts';
import { type DockSite, openDockSite } from '../testing/dock-site.ts';
import { madeCwa } from '../testing/made-cwa.ts';
import type { CsvTemplate } from '../vocabulary/csv-mapping.ts';
import type { ShownTransfer } from './docks.ts';
import { findFiles, QUIET_MS, RETRY_MS, UNREADABLE_MS } from './find-files.ts';
import { type FoundFolder, lastinglyUnreadableIn, unreadableIn } from './found-folder.ts';

/** Paths that cannot be opened, as if another program had locked them. */
const busy = vi.hoisted(() => new Set<string>());
vi.mock('./recognise.ts', async (original) => {
  const real = await original<typeof import('./recognise.ts')>();
  const identify = async (file: string) => {
    if (busy.has(file)) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
    return await real.identify(file);
  };
  return { ...real, identify };
});

const SERIAL = '02849638';
const SESSION = `Polar_H10_${SERIAL}_20260106080000`;
const WRITTEN_MS = Date.UTC(2026, 0, 9);

let dock: DockSite;
let path: string;
let place: { studyId: string; subjectId: string };
beforeEach(async () => {
  dock = await openDockSite({ serial: SERIAL });
  place = { studyId: dock.site.studyId, subjectId: dock.site.subjectIds[0]! };
  path = await mkdtemp(join(tmpdir(), 'outpost-sets-'));
  await watch('OFFER');
});
afterEach(async () => {
  await dock.close();
  await rm(path, { recursive: true, force: true });
  expect(dock.problems).toEqual([]);
});

async function watch(action: 'OFFER' | 'TAKE'): Promise<void> {
  const folders = [{ path, studyId: place.studyId, action }];
  const rules = { isOn: true, action: 'OFFER' as const, timeZone: 'UTC', folders };
  await dock.folder.store.settings.set('docks.rules', rules, dock.change);
}

async function drop(name: string, content: string | Uint8Array): Promise<void> {
  const file = join(path, name);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, content);
  await utimes(file, WRITTEN_MS / 1000, WRITTEN_MS / 1000);
}

const SINCE_2000_NS = BigInt(Date.UTC(2026, 0, 6, 8) - Date.UTC(2000, 0, 1)) * 1_000_000n;
const phoneTime = (ms: number): string => new Date(Date.UTC(2026, 0, 6, 8) + ms).toISOString().slice(0, 23);

function polarText(columns: string, seconds: number, rateHz: number, values: (i: number) => string): string {
  const rows = Array.from({ length: seconds * rateHz }, (_, i) => {
    const ms = (i * 1000) / rateHz;
    return `${phoneTime(ms)};${SINCE_2000_NS + BigInt(Math.round(ms * 1e6))};${values(i)}`;
  });
  return `Phone timestamp;sensor timestamp [ns];${columns}\n${rows.join('\n')}\n`;
}
const acc = (seconds = 60): string =>
  polarText('X [mg];Y [mg];Z [mg]', seconds, 25, (i) => `${i % 7};3;${990 + (i % 3)}`);
const ecg = (): string => polarText('timestamp [ms];ecg [uV]', 60, 130, (i) => `${i};${(i * 37) % 900}`);
const heartRate = (): string =>
  `Phone timestamp;HR [bpm]\n${Array.from({ length: 60 }, (_, s) => `${phoneTime(s * 1000)};${60 + (s % 9)}`).join('\n')}\n`;

const only = async (): Promise<ShownTransfer> => {
  const all = await dock.shown();
  expect(all.map(({ found, row }) => found?.displayName ?? row?.displayName)).toHaveLength(1);
  return all[0]!;
};
const namesOf = ({ found }: ShownTransfer): string[] => found!.members!.map(({ name }) => name);
const stored = async (id: string) => {
  const { row } = await dock.reach(id, 'STORED');
  return await Promise.all(row!.recordingIds!.map((one) => dock.folder.store.recordings.require(one)));
};

describe('the texts of a Polar session', () => {
  const names = ['ACC', 'ECG', 'HR'].map((stream) => `${SESSION}_${stream}.txt`);
  const dropAll = async (folder = '') => {
    await drop(`${folder}${names[0]}`, acc());
    await drop(`${folder}${names[1]}`, ecg());
    await drop(`${folder}${names[2]}`, heartRate());
  };

  it('are one offer to the holder of the strap, and one recording', async () => {
    await dropAll('week 1/');
    await dock.untilQuiet();
    const offered = await only();
    expect(namesOf(offered)).toEqual(names);
    expect(offered.found!.displayName).toBe(`week 1/${SESSION}`);
    expect(offered.match).toMatchObject({ ...place, equipmentId: SERIAL, startTs: Date.UTC(2026, 0, 6, 8) });
    expect(offered.match!.question).toBeUndefined();
    await dock.docks.take(offered.id, place, dock.change);
    const recordings = await stored(offered.id);
    expect(recordings).toHaveLength(1);
    expect(recordings[0]!.channels.map(({ type }) => type).sort()).toEqual(['ACCEL', 'ECG', 'HR']);
    expect((await only()).row!.files!.map(({ name }) => name)).toEqual(names);
  });

  it('are two offers where two sessions lie in one folder', async () => {
    await dropAll();
    await drop('Polar_H10_AAAAAAAA_20260106090000_ACC.txt', acc(30));
    await dock.untilQuiet();
    const shown = await dock.shown();
    expect(shown.map(namesOf).sort()).toEqual([names, ['Polar_H10_AAAAAAAA_20260106090000_ACC.txt']].sort());
  });

  it('are not offered while they are copied, file by file over minutes', async () => {
    await watch('TAKE');
    await drop(names[0]!, acc(20));
    await dock.look();
    for (const [i, content] of [acc(40), acc(60)].entries()) {
      dock.pass(QUIET_MS - 1000);
      await writeFile(join(path, names[0]!), content);
      await dock.look();
      expect(await dock.shown(), `after ${i + 1} pieces`).toEqual([]);
    }
    dock.pass(QUIET_MS - 1000);
    // The next file arrives under another name until it is whole, as rsync writes it.
    await writeFile(join(path, `.${names[1]}.x7Qa`), ecg().slice(0, 1000));
    await dock.look();
    dock.pass(QUIET_MS - 1000);
    await appendFile(join(path, `.${names[1]}.x7Qa`), ecg().slice(1000));
    await dock.look();
    dock.pass(QUIET_MS - 1000);
    await dock.look();
    expect(await dock.shown()).toEqual([]);
    await rm(join(path, `.${names[1]}.x7Qa`));
    await drop(names[1]!, ecg());
    await dock.untilQuiet();
    const { id } = await only();
    expect((await stored(id))[0]!.channels.map(({ type }) => type).sort()).toEqual(['ACCEL', 'ECG']);
  });

  it('hold nothing back for a log of another program that grows beside them', async () => {
    await dropAll();
    await drop('sync.log', 'started\n');
    await dock.look();
    for (let minutes = 0; minutes < 4; minutes++) {
      await appendFile(join(path, 'sync.log'), `${minutes}\n`);
      dock.pass(60_000);
      await dock.docks.look();
    }
    expect(namesOf(await only())).toEqual(names);
  });

  it('name a file that came after the others were taken, presumably of the same subject', async () => {
    await drop(names[0]!, acc());
    await drop(names[1]!, ecg());
    await dock.untilQuiet();
    const first = await only();
    await dock.docks.take(first.id, place, dock.change);
    await stored(first.id);
    await drop(names[2]!, heartRate());
    await dock.untilQuiet();
    const shown = await dock.shown();
    expect(shown).toHaveLength(2);
    const late = shown.find(({ id }) => id !== first.id)!;
    expect(shown.find(({ id }) => id === first.id)).toMatchObject({ row: { state: 'STORED' }, found: {} });
    expect([namesOf(late), late.found!.late!.names]).toEqual([[names[2]], [names[2]]]);
    expect(late.match).toMatchObject({ ...place, question: { code: 'LATE_FILES' } });
    expect(late.match!.question!.message).toContain(names[2]);
    await expect(dock.docks.take(late.id, place, dock.change)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await dock.docks.take(late.id, { ...place, reason: 'Synced a day later' }, dock.change);
    expect((await stored(late.id))[0]!.channels.map(({ type }) => type)).toEqual(['HR']);
    await dock.look();
    expect(await dock.shown()).toHaveLength(2);
  });

  it.each(['where they were', 'moved'])(
    'whose copy was broken off by the end of the program continue before the folder is quiet again: %s',
    async (kept) => {
      await dropAll();
      await dock.untilQuiet();
      const { id } = await only();
      await dock.docks.close();
      await dock.folder.store.transfers.decide(
        {
          ...{ id, accountId: dock.site.accountId, source: 'FOLDER', displayName: SESSION, fileName: SESSION },
          ...{ state: 'COPYING', ...place, options: { timeZone: 'UTC' } },
          sizeBytes: acc().length + ecg().length + heartRate().length,
          files: (await only()).found!.members!.map((one) => ({
            id: one.id,
            name: one.name,
            sizeBytes: one.sizeBytes,
          })),
        },
        dock.change,
      );
      await dock.restart();
      if (kept === 'moved') {
        await mkdir(join(path, 'week 1'));
        const movedNames = [names[0]!, names[1]!, 'heart.txt'];
        for (const [i, name] of movedNames.entries()) await rename(join(path, names[i]!), join(path, 'week 1', name));
      }
      await dock.look();
      expect((await stored(id))[0]!.channels).toHaveLength(3);
    },
  );
});

it('removes copies of sets and of files that nobody waits for at the next start', async () => {
  const docks = join(dock.folder.inboxDir, 'docks');
  await mkdir(join(docks, '0a0a0a0a-0000-4000-8000-000000000001.part'));
  await writeFile(join(docks, '0a0a0a0a-0000-4000-8000-000000000001.part', 'rec.dat'), 'half');
  await writeFile(join(docks, '0a0a0a0a-0000-4000-8000-000000000002.part'), 'half');
  await mkdir(join(docks, 'put here by a person'));
  await dock.restart();
  expect(await readdir(docks)).toEqual(['put here by a person']);
});

describe('two files of a record with equal size and equal ends', () => {
  const SAMPLES = 150_000;
  const header = `rec 2 100 ${SAMPLES} 08:00:00 06/01/2026\na.dat 16 200/mV\nb.dat 16 200/mV\n`;
  const first = Buffer.alloc(2 * SAMPLES);
  const second = Buffer.from(first).fill(1, 100_000, 200_000);

  it('are copied each from its own file, and again after the disk failed behind the copy', async () => {
    await drop('rec.hea', header);
    await drop('a.dat', first);
    await drop('b.dat', second);
    await dock.untilQuiet();
    const { id, found } = await only();
    expect(found!.members!.find(({ name }) => name === 'a.dat')!.id).toBe(
      found!.members!.find(({ name }) => name === 'b.dat')!.id,
    );
    const copies = join(dock.folder.inboxDir, id);
    const { store } = dock.folder;
    const transaction = store.transaction.bind(store);
    let copied: Buffer[] = [];
    vi.spyOn(store, 'transaction').mockImplementation(async (work) => {
      if (copied.length > 0 || !existsSync(copies)) return await transaction(work);
      copied = await Promise.all(['a.dat', 'b.dat'].map((name) => readFile(join(copies, name))));
      throw new OutpostError('DISK_FAILED', 'The disk of the site cannot be written.');
    });
    await dock.docks.take(id, { ...place, reason: 'From the ward' }, dock.change);
    expect(await stored(id)).toHaveLength(1);
    expect(copied.map((content, i) => content.equals([first, second][i]!))).toEqual([true, true]);
  });
});

describe('other sets', () => {
  const e4 = {
    'ACC.csv': `1767686400.0, 1767686400.0, 1767686400.0\n32.0, 32.0, 32.0\n${'1,2,64\n'.repeat(640)}`,
    'EDA.csv': `1767686400.0\n4.0\n${'0.31\n'.repeat(80)}`,
    'BVP.csv': `1767686400.0\n64.0\n${'-1.5\n'.repeat(1280)}`,
    'tags.csv': '',
  };

  it('of an Empatica E4: its folder is one recording, whose late file asks for all of it', async () => {
    const { 'BVP.csv': late, ...first } = e4;
    for (const [name, content] of Object.entries(first)) await drop(`p01/${name}`, content);
    await dock.untilQuiet();
    const offered = await only();
    expect(offered.found!.displayName).toBe('p01/Empatica E4');
    expect(offered.match).toMatchObject({ startTs: 1_767_686_400_000, question: { code: 'NO_SERIAL' } });
    await dock.docks.take(offered.id, { ...place, reason: 'Worn by P01' }, dock.change);
    expect((await stored(offered.id))[0]!.channels.map(({ type }) => type)).toContain('ACCEL');
    await drop('p01/BVP.csv', late);
    await dock.untilQuiet();
    const again = (await dock.shown()).find(({ id }) => id !== offered.id)!;
    expect(again.match!.question!.code).toBe('LATE_FILES');
    expect(again.found!.late!.names).toEqual(['BVP.csv']);
    expect(namesOf(again).sort()).toEqual(['ACC.csv', 'BVP.csv', 'EDA.csv', 'tags.csv']);
  });

  it('of WFDB: header, data and annotations are one recording; what the header names and is not there is asked about', async () => {
    const header = 'rec 1 100 300 08:00:00 06/01/2026\nrec.dat 16 200/mV\n';
    await drop('rec.hea', header);
    await dock.untilQuiet();
    const half = await only();
    expect(half.match!.question).toMatchObject({ code: 'MISSING_FILES' });
    expect(half.match!.question!.message).toContain('rec.dat');
    const samples = Buffer.alloc(600);
    for (let i = 0; i < 300; i++) samples.writeInt16LE((i * 31) % 200, 2 * i);
    await drop('rec.dat', samples);
    await dock.untilQuiet();
    const whole = await only();
    expect([namesOf(whole), whole.match!.question!.code]).toEqual([['rec.hea', 'rec.dat'], 'NO_SERIAL']);
    expect(whole.match!.startTs).toBe(Date.UTC(2026, 0, 6, 8));
    await dock.docks.take(whole.id, { ...place, reason: 'From the ward' }, dock.change);
    expect((await stored(whole.id))[0]).toMatchObject({ startUs: Date.UTC(2026, 0, 6, 8) * 1000 });
  });
});

describe('a set whose folder is not wholly known', () => {
  let seen: FoundFolder | undefined;
  let nowMs = 0;
  const lookAfter = async (ms: number) => {
    nowMs += ms;
    seen = await findFiles(path, seen, { nowMs });
    return seen;
  };
  const stateOf = (name: string) => seen?.sets.get(name)?.state;
  beforeEach(() => {
    seen = undefined;
    busy.clear();
  });

  it('waits while one of its files was not read yet: a look reads only so many', async () => {
    const head = avroFile({ type: 'record', name: 'raw', namespace: 'empatica.format.avro', fields: [] }, []);
    const names = Array.from({ length: 450 }, (_, i) => `1-1-p01_${String(1_767_686_400 + i * 900)}.avro`);
    for (const [i, name] of names.entries()) await writeFile(join(path, name), Buffer.concat([head, Buffer.alloc(i)]));
    await lookAfter(0);
    await lookAfter(1000);
    await lookAfter(QUIET_MS);
    expect([seen!.sets.size, stateOf('1-1-p01')]).toEqual([1, 'waiting']);
    await lookAfter(1000);
    expect([stateOf('1-1-p01'), seen!.sets.get('1-1-p01')!.members.length]).toEqual(['recording', 450]);
  });

  it('waits while a file beside it cannot be read', async () => {
    await drop(`${SESSION}_ACC.txt`, acc(5));
    await drop(`${SESSION}_HR.txt`, heartRate());
    busy.add(join(path, `${SESSION}_HR.txt`));
    for (const ms of [0, 1000, QUIET_MS]) await lookAfter(ms);
    expect(seen!.files.get(`${SESSION}_HR.txt`)!.state).toBe('unreadable');
    expect(stateOf(SESSION)).toBe('waiting');
    busy.clear();
    await lookAfter(1000);
    expect([stateOf(SESSION), seen!.sets.get(SESSION)!.members.length]).toEqual(['recording', 2]);
  });

  it('does not wait for hundreds of files beside it that can never be read', async () => {
    const names = Array.from({ length: 250 }, (_, i) => `a${String(i).padStart(3, '0')}.bin`);
    for (const name of names) {
      await drop(`bad/${name}`, name);
      busy.add(join(path, 'bad', name));
    }
    await drop(`${SESSION}_ACC.txt`, acc(5));
    await drop('late/new.cwa', madeCwa());
    const stateOfNew = () => seen!.files.get('late/new.cwa')!.state;
    for (const ms of [0, 1000, 1000, 1000]) await lookAfter(ms);
    expect(stateOfNew()).toBe('recording');
    await lookAfter(UNREADABLE_MS);
    for (let i = 0; i < 5; i++) await lookAfter(1000);
    expect(unreadableIn(seen!)).toHaveLength(250);
    expect(lastinglyUnreadableIn(seen!)).toHaveLength(250);
    await drop('late/new.cwa', madeCwa({ sessionId: 9, blocks: 601 }));
    for (const ms of [1000, 1000]) await lookAfter(ms);
    expect(stateOfNew()).toBe('recording');
    // One that can be read again is found within some looks.
    busy.delete(join(path, 'bad', names.at(-1)!));
    await lookAfter(1000);
    expect(seen!.files.get(`bad/${names.at(-1)!}`)!.state).toBe('unreadable');
    await lookAfter(RETRY_MS);
    for (let i = 0; i < 5; i++) await lookAfter(1000);
    expect(seen!.files.get(`bad/${names.at(-1)!}`)!.state).toBe('foreign');
  });

  it('waits again when a file went: a program that moves it is not done', async () => {
    await drop(`${SESSION}_ACC.txt`, acc(5));
    await drop(`${SESSION}_HR.txt`, heartRate());
    for (const ms of [0, 1000, QUIET_MS]) await lookAfter(ms);
    expect(stateOf(SESSION)).toBe('recording');
    await rm(join(path, `${SESSION}_HR.txt`));
    await lookAfter(1000);
    expect(stateOf(SESSION)).toBe('waiting');
    await lookAfter(QUIET_MS);
    expect([stateOf(SESSION), seen!.sets.get(SESSION)!.members.length]).toEqual(['recording', 1]);
  });
});

describe('files that can never be read', () => {
  const acceleration = `${SESSION}_ACC.txt`;
  const rates = `${SESSION}_HR.txt`;
  const dropBoth = async () => {
    await drop(acceleration, acc(5));
    await drop(rates, heartRate());
    busy.add(join(path, rates));
    await dock.untilQuiet();
  };
  const giveUp = async () => {
    dock.pass(UNREADABLE_MS);
    await dock.look();
  };
  const untilTriedAgain = async () => {
    dock.pass(RETRY_MS);
    await dock.look();
  };
  beforeEach(() => busy.clear());

  it('are named with their reason, and the rest of the session is a question, also where the rule takes what is certain', async () => {
    await watch('TAKE');
    await dropBoth();
    expect(await dock.shown()).toEqual([]);
    expect(unreadableIn(dock.docks.folders[0]!.seen)).toEqual([{ name: rates, why: 'IN_USE' }]);
    await giveUp();
    const rest = await only();
    expect([namesOf(rest), rest.found!.unreadable, rest.row]).toEqual([
      [acceleration],
      [{ name: rates, why: 'IN_USE' }],
      undefined,
    ]);
    expect(rest.match).toMatchObject({ ...place, question: { code: 'UNREADABLE_FILES' } });
    expect(rest.match!.question!.message).toBe(
      `These files cannot be read: ${rates} (another program uses it; close that program). They join the recording once they can be read; taking it now leaves them out.`,
    );
    await expect(dock.docks.take(rest.id, place, dock.change)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await dock.docks.take(rest.id, { ...place, reason: 'The heart rate is lost' }, dock.change);
    expect((await stored(rest.id))[0]!.channels.map(({ type }) => type)).toEqual(['ACCEL']);
  });

  it('join the session when they can be read before it is taken', async () => {
    await dropBoth();
    await giveUp();
    busy.clear();
    await untilTriedAgain();
    const whole = await only();
    expect([namesOf(whole), whole.found!.unreadable]).toEqual([[acceleration, rates], undefined]);
    expect(whole.match!.question).toBeUndefined();
  });

  it('are files that came late when they can be read after the rest was taken', async () => {
    await dropBoth();
    await giveUp();
    const rest = await only();
    await dock.docks.take(rest.id, { ...place, reason: 'The heart rate is lost' }, dock.change);
    await stored(rest.id);
    busy.clear();
    await untilTriedAgain();
    const late = (await dock.shown()).find(({ id }) => id !== rest.id)!;
    expect([late.match!.question!.code, namesOf(late)]).toEqual(['LATE_FILES', [rates]]);
  });

  it('do not concern sets whose header does not name them', async () => {
    const header = (name: string) => `${name} 1 100 300 08:00:00 06/01/2026\n${name}.dat 16 200/mV\n`;
    for (const name of ['one', 'two']) {
      await drop(`${name}.hea`, header(name));
      await drop(`${name}.dat`, Buffer.alloc(600, name));
    }
    busy.add(join(path, 'two.dat'));
    await dock.untilQuiet();
    await giveUp();
    const shown = new Map((await dock.shown()).map((one) => [one.found!.displayName, one]));
    expect([...shown.keys()].sort()).toEqual(['one.hea', 'two.hea']);
    expect([shown.get('one.hea')!.found!.unreadable, namesOf(shown.get('one.hea')!)]).toEqual([
      undefined,
      ['one.hea', 'one.dat'],
    ]);
    expect(shown.get('two.hea')!.found!.unreadable).toEqual([{ name: 'two.dat', why: 'IN_USE' }]);
  });
});

describe('a table that no reader knows', () => {
  const HEADER = 'time_ms,ax,ay,az';
  const rows = Array.from({ length: 200 }, (_, i) => `${Date.UTC(2026, 0, 6, 8) + i * 40},${i % 5},2,990`).join('\n');
  const template = (unit: string, id: string, displayName: string): CsvTemplate => ({
    ...{ id, displayName, header: HEADER.split(',') },
    mapping: {
      ...{ delimiter: ',', decimal: '.', skipLines: 0, hasHeader: true, missing: [] },
      time: { kind: 'UNIX', column: 0, unit: 'ms' },
      channels: [{ type: 'ACCEL', unit, columns: [1, 2, 3] }],
    },
  });
  const MG = template('mg', '0a0a0a0a-0000-4000-8000-000000000001', 'Logger in mg');
  const G = template('g', '0a0a0a0a-0000-4000-8000-000000000002', 'Logger in g');
  const keep = (csvTemplates: CsvTemplate[]) =>
    dock.folder.store.studies.putDefinition(place.studyId, { csvTemplates }, dock.change);
  const gravityOf = async (id: string) => (await stored(id))[0]!.channels[0]!;

  it('is read by the only template of the study with its header; whose it is remains the question', async () => {
    await keep([MG]);
    await drop('logger.csv', `${HEADER}\n${rows}\n`);
    await dock.untilQuiet();
    const { id, found, match } = await only();
    expect(found!.recognised.table).toEqual({ templateIds: [MG.id], isGuess: false });
    expect(match).toMatchObject({ startTs: Date.UTC(2026, 0, 6, 8), question: { code: 'NO_SERIAL' } });
    await dock.docks.take(id, { ...place, reason: 'Worn by P01' }, dock.change);
    expect(await gravityOf(id)).toMatchObject({ type: 'ACCEL', unit: 'g' });
    expect((await only()).row!.options.csvMapping).toEqual(MG.mapping);
  });

  it('is a question where no template fits or several read it differently, which a chosen template answers', async () => {
    await drop('logger.csv', `${HEADER}\n${rows}\n`);
    await dock.untilQuiet();
    const unknown = await only();
    expect(unknown.match!.question!.code).toBe('CSV_TEMPLATE');
    const answer = { ...place, reason: 'Worn by P01' };
    await expect(dock.docks.take(unknown.id, answer, dock.change)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      errors: [{ path: 'csvTemplateId' }],
    });
    await keep([MG, G]);
    await dock.look();
    expect((await only()).match!.question!.code).toBe('CSV_TEMPLATE');
    await dock.docks.take(unknown.id, { ...answer, csvTemplateId: MG.id }, dock.change);
    expect((await stored(unknown.id)).length).toBe(1);
    expect((await only()).row!.options.csvMapping).toEqual(MG.mapping);
  });

  it('without times, and notes beside recordings, are no question', async () => {
    await drop('scores.csv', 'subject,score\nP01,4\nP02,7\n');
    await drop('notes.txt', 'Monday, 8:00: strap given out\n');
    await dock.untilQuiet();
    expect(await dock.shown()).toEqual([]);
  });
});

/** A site with a registered recorder and plain folders as drives, looked at when a test says so. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Change } from '../db/index.ts';
import { Docks, type ShownTransfer } from '../docks/docks.ts';
import { QUIET_MS } from '../docks/find-files.ts';
import type { Mount } from '../docks/mounts.ts';
import { type Engine, startEngine } from '../site/engine.ts';
import { openSite, type SiteFolder } from '../site/folder.ts';
import type { StoredTransferState } from '../vocabulary/docks.ts';
import { makeTestSite, type TestSite } from './test-site.ts';

/** After every made recording. */
export const NOW_MS = Date.UTC(2026, 0, 20, 12);
const HANDED_MS = Date.UTC(2026, 0, 5);

export interface DockSite {
  site: TestSite;
  folder: SiteFolder;
  engine: Engine;
  docks: Docks;
  mounts: Mount[];
  problems: unknown[];
  change: Change;
  /** Plugs a recorder in; the content is its data file. */
  plug(label: string, content: Uint8Array): Promise<string>;
  unplug(label: string): Promise<void>;
  /** Looks as often as a file needs to settle. */
  look(): Promise<void>;
  /** Lets time pass until watched folders in which nothing changes are quiet, then looks. */
  untilQuiet(): Promise<void>;
  /** Moves the clock of the looks. */
  pass(ms: number): void;
  reach(id: string, state: StoredTransferState): Promise<ShownTransfer>;
  shown(): Promise<ShownTransfer[]>;
  /** Stops everything but the folder on the disk, and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openDockSite(options: { serial?: string; parent?: string } = {}): Promise<DockSite> {
  const site = await makeTestSite({ timeZones: ['UTC', 'UTC'], ...(options.parent && { folder: options.parent }) });
  const drives = await mkdtemp(join(tmpdir(), 'outpost-drives-'));
  const mounts: Mount[] = [];
  const problems: unknown[] = [];
  const change: Change = { actor: { type: 'USER', id: site.userId } };
  const clock = () => NOW_MS;
  let elapsedMs = 0;
  const start = async () => {
    const folder = await openSite(site.dir, { clock });
    const engine = await startEngine(folder, { onProblem: (problem) => problems.push(problem) });
    const docks = new Docks({
      ...{ store: folder.store, jobs: engine.jobs, siteDir: folder.dir, inboxDir: folder.inboxDir },
      ...{ signalsDir: folder.signalsDir, disk: folder.disk, clock, mounts: async () => mounts },
      recognise: (task) => engine.workers.run('recogniseFile', task),
      onProblem: (problem) => problems.push(problem),
      intervalMs: 3_600_000,
      elapsedMs: () => elapsedMs,
      retryMs: 300,
    });
    await docks.start();
    return { folder, engine, docks };
  };
  const parts = await start();
  const { store } = parts.folder;
  await store.settings.set('docks.rules', { isOn: true, action: 'OFFER', timeZone: 'UTC', folders: [] }, change);
  await store.studies.move(site.studyId, 'start', change);
  const serial = options.serial ?? 'AX3-39434';
  await store.equipment.register({ accountId: site.accountId, id: serial, type: 'SENSOR' }, change);
  await store.equipment.assign(
    serial,
    { studyId: site.studyId, subjectId: site.subjectIds[0]!, atTs: HANDED_MS },
    change,
  );
  const stop = async () => {
    await dockSite.docks.close();
    await dockSite.engine.close();
    await dockSite.folder.close();
  };
  const dockSite: DockSite = {
    ...{ site, mounts, problems, change, ...parts },
    plug: async (label, content) => {
      const path = join(drives, label);
      await mkdir(path, { recursive: true });
      await writeFile(join(path, 'CWA-DATA.CWA'), content);
      mounts.push({ path, label });
      return path;
    },
    unplug: async (label) => {
      const path = join(drives, label);
      mounts.splice(0, mounts.length, ...mounts.filter((mount) => mount.path !== path));
      await rm(path, { recursive: true, force: true });
    },
    look: async () => {
      for (let i = 0; i < 2; i++) await dockSite.docks.look();
    },
    untilQuiet: async () => {
      await dockSite.look();
      elapsedMs += QUIET_MS;
      await dockSite.docks.look();
    },
    pass: (ms) => {
      elapsedMs += ms;
    },
    reach: async (id, state) => {
      for (;;) {
        await dockSite.docks.look();
        const shown = await dockSite.docks.get(id);
        if (shown?.row?.state === state) return shown;
        if (shown?.row?.state === 'FAILED') throw new Error(`${shown.row.code}: ${shown.row.message}`);
        await sleep(20);
      }
    },
    shown: () => dockSite.docks.list(site.accountId),
    restart: async () => {
      await stop();
      Object.assign(dockSite, await start());
    },
    close: async () => {
      await stop();
      await site.remove();
      await rm(drives, { recursive: true, force: true });
    },
  };
  return dockSite;
}

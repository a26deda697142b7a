/** This copy of the program, as updates see it: its version and place, what it trusts, and how electron-updater may act on it. */
import { join } from 'node:path';
import { app } from 'electron';
import { latestSchemaVersion } from '../../src-server/db/index.ts';
import { PROGRAM_FILES } from '../../src-server/program-files.ts';
import type { InstallationKind, UpdaterHost } from './installers.ts';
import { readTrust, type UpdateTrust } from './trust.ts';
import type { ThisProgram } from './update-list.ts';

export interface UpdatedProgram extends ThisProgram {
  kind: InstallationKind;
  trust: UpdateTrust | undefined;
  dirs: { record: string; staged: string; kept: string; work: string };
  host: UpdaterHost;
  /** The command that runs the self-test of this program. */
  selfTest: { program: string; args: string[] };
}

/** A Debian package, a folder and the sources are not replaced by the program itself. */
function kindOf(): InstallationKind {
  if (process.platform === 'linux') return process.env.APPIMAGE ? 'appimage' : 'none';
  if (!app.isPackaged) return 'none';
  return process.platform === 'win32' ? 'nsis' : 'mac';
}

/** @param userData the program's own folder */
export function updatedProgram(userData: string): UpdatedProgram {
  const root = join(userData, 'updates');
  const dirs = {
    record: join(root, 'update.json'),
    staged: join(root, 'ready'),
    kept: join(root, 'previous'),
    work: join(root, 'installer'),
  };
  const trust = readTrust(PROGRAM_FILES.updateKeys);
  const version = app.getVersion();
  const appImage = process.env.APPIMAGE;
  const own = app.isPackaged ? [] : [...process.execArgv, process.argv[1] ?? ''];
  return {
    version,
    platform: process.platform,
    arch: process.arch,
    schemaVersion: latestSchemaVersion(),
    keys: trust?.keys ?? [],
    kind: kindOf(),
    trust,
    dirs,
    host: {
      version,
      workDir: dirs.work,
      ...(trust?.publisherNames && { publisherNames: trust.publisherNames }),
      ...(appImage !== undefined && { appImage }),
      relaunch: () => app.relaunch(appImage === undefined ? {} : { execPath: appImage, args: [] }),
    },
    selfTest: { program: process.execPath, args: [...own, '--self-test', '--json'] },
  };
}

/**
 * Builds the desktop installers from the application folder with electron-builder: the configuration, and the call. Run as a script:
 * `desktop.ts <folder> [--dir] [--electron <unpacked Electron>] [--update-key <public key> --update-key <next public key>]
 * [--publisher <name>]` builds for this platform; `--dir` stops before the installers. Only a program with keys installs updates.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build, type Configuration, Platform } from 'electron-builder';
import type { z } from 'zod';
import { pinnedKey } from '../../src-main/updates/signatures.ts';
import { type trustSchema, UPDATE_KEYS_FILE } from '../../src-main/updates/trust.ts';
import { PRODUCT } from '../../src-main/updates/update-list.ts';
import { makeAppFolder, sizeReport } from './app-folder.ts';
import { makeIcons } from './icons.ts';
import { maintainer } from './maintainer.ts';

const PARTS = fileURLToPath(new URL('./desktop/', import.meta.url));
const { version: electronVersion } = JSON.parse(
  readFileSync(new URL('../../node_modules/electron/package.json', import.meta.url), 'utf8'),
) as { version: string };

/** Formats that Outpost imports and that belong to no other kind of program; ZIP, CSV and the like stay with theirs. */
const FILE_ASSOCIATIONS: Configuration['fileAssociations'] = [
  {
    ext: 'sig',
    name: 'Outpost recording',
    description: 'Outpost recording',
    mimeType: 'application/vnd.outpost.signal',
    role: 'Viewer',
  },
  {
    ext: 'edf',
    name: 'European Data Format',
    description: 'EDF recording',
    mimeType: 'application/x-edf',
    role: 'Viewer',
    rank: 'Alternate',
  },
  {
    ext: 'bdf',
    name: 'BioSemi Data Format',
    description: 'BDF recording',
    mimeType: 'application/x-bdf',
    role: 'Viewer',
    rank: 'Alternate',
  },
  {
    ext: 'hea',
    name: 'WFDB header',
    description: 'WFDB recording',
    mimeType: 'application/x-wfdb-header',
    role: 'Viewer',
    rank: 'Alternate',
  },
];

/**
 * Returns the configuration of electron-builder.
 * @param icons the folder that `makeIcons` filled
 * @param to where the installers go
 */
export const desktopConfiguration = (icons: string, to: string): Configuration => ({
  appId: PRODUCT,
  productName: 'Outpost',
  copyright: 'Copyright © 2026 The Outpost contributors',
  directories: { output: to, buildResources: PARTS },
  // The folder is complete and pruned: its package.json names no dependencies that electron-builder would collect.
  files: ['**/*', { from: 'node_modules', to: 'node_modules', filter: ['**/*'] }],
  npmRebuild: false,
  electronVersion,
  // Electron reads threads and processes out of the archive; the system's loader needs native modules as files.
  asar: true,
  asarUnpack: ['**/*.node'],
  electronFuses: {
    // The desktop program starts its processes with utilityProcess, never with fork.
    runAsNode: false,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableCookieEncryption: true,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    grantFileProtocolExtraPrivileges: false,
    resetAdHocDarwinSignature: true,
  },
  electronLanguages: ['en', 'en-US', 'ja'],
  protocols: [{ name: 'Outpost', schemes: ['outpost'], role: 'Viewer' }],
  fileAssociations: FILE_ASSOCIATIONS,
  // The tool that signs updates knows installers by these names.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are those of electron-builder
  artifactName: 'Outpost-${version}-${os}-${arch}.${ext}',
  // Installers name no place on the internet from which they would update themselves.
  publish: null,
  win: { target: ['nsis'], icon: join(icons, 'outpost.ico') },
  // Per user: a clinic's computer gives nobody administrator's rights. Data are never deleted.
  nsis: {
    oneClick: false,
    perMachine: false,
    allowElevation: false,
    deleteAppDataOnUninstall: false,
    installerLanguages: ['en_US', 'ja_JP'],
  },
  mac: {
    // The disk image is for people, the ZIP for updates.
    target: ['dmg', 'zip'],
    icon: join(icons, 'outpost.icns'),
    category: 'public.app-category.medical',
    hardenedRuntime: true,
    gatekeeperAssess: false,
    entitlements: join(PARTS, 'entitlements.mac.plist'),
    entitlementsInherit: join(PARTS, 'entitlements.mac.plist'),
    extendInfo: {
      NSLocalNetworkUsageDescription: 'Hubs and phones deliver their recordings over the local network.',
      NSBonjourServices: ['_outpost._tcp'],
    },
  },
  linux: {
    target: ['AppImage', 'deb'],
    icon: join(icons, 'png'),
    category: 'Science',
    executableName: 'outpost-desktop',
    maintainer: maintainer(),
    synopsis: 'Local-first workstation for clinical remote-monitoring studies',
  },
  // The headless package owns the name and the command "outpost"; both may be installed.
  deb: { packageName: 'outpost-desktop' },
});

/**
 * Fixes the keys that a program checks updates with.
 * @param keys paths of public keys in PEM: the one in use and the next one
 * @throws Error for fewer than two, the same one twice, or another kind of key
 */
export function pinUpdateKeys(app: string, keys: readonly string[], publisherNames: readonly string[] = []): void {
  const pems = keys.map((path) => readFileSync(path, 'utf8'));
  const ids = new Set(pems.map((pem) => pinnedKey(pem).id));
  if (ids.size < 2)
    throw new Error('Pin two keys: the one in use, and the next one, whose private half is kept elsewhere.');
  if (pems.some((pem) => pem.includes('PRIVATE')))
    throw new Error('A private key must not be packed. Name the .pub files.');
  const trust = { keys: pems, ...(publisherNames.length > 0 && { publisherNames: [...publisherNames] }) };
  writeFileSync(join(app, UPDATE_KEYS_FILE), JSON.stringify(trust satisfies z.input<typeof trustSchema>));
}

/**
 * Builds installers for this platform, or with `dirOnly` the folder that they would hold, and returns their paths.
 * @param electronDist a folder with an unpacked Electron; without it electron-builder downloads one
 */
export async function buildDesktop(
  to: string,
  { app, dirOnly = false, electronDist }: { app: string; dirOnly?: boolean; electronDist?: string },
): Promise<string[]> {
  const icons = mkdtempSync(join(tmpdir(), 'outpost-icons-'));
  try {
    await makeIcons(icons);
    const config = { ...desktopConfiguration(icons, to), ...(electronDist ? { electronDist } : {}) };
    const targets = Platform.current().createTarget(dirOnly ? 'dir' : undefined);
    // In the project's own folder electron-builder would add the developers' packages.
    return await build({
      projectDir: app,
      targets,
      config,
      publish: 'never',
    });
  } finally {
    rmSync(icons, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    options: {
      dir: { type: 'boolean', default: false },
      electron: { type: 'string' },
      'update-key': { type: 'string', multiple: true, default: [] },
      publisher: { type: 'string', multiple: true, default: [] },
    },
    allowPositionals: true,
  });
  const [to] = positionals.map((path) => resolve(path));
  if (!to) throw new Error('Name a folder for the installers.');
  const app = join(to, 'app');
  rmSync(app, { recursive: true, force: true });
  process.stderr.write(`${sizeReport(await makeAppFolder(app))}\n`);
  if (values['update-key'].length > 0) pinUpdateKeys(app, values['update-key'], values.publisher);
  const electron = values.electron === undefined ? {} : { electronDist: resolve(values.electron) };
  const made = await buildDesktop(to, { app, dirOnly: values.dir, ...electron });
  process.stdout.write(made.map((path) => `${path}\n`).join(''));
}

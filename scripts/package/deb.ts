/**
 * Builds the headless Debian package: the application folder with its own Node, a systemd service and the `outpost` command.
 * Run as a script: `deb.ts <folder> [version]` writes `outpost_<version>_<architecture>.deb` there.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { VERSION } from '../../src-server/version.ts';
import { makeAppFolder, sizeReport } from './app-folder.ts';
import { maintainer } from './maintainer.ts';
import { addRuntime, nodeLicence, nodeProgram } from './node-runtime.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PARTS = fileURLToPath(new URL('./debian/', import.meta.url));
const ARCHITECTURES: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
/** An address of the project would belong here; a package must name somebody. */
const SCRIPTS = ['preinst', 'postinst', 'prerm', 'postrm'];
/** What the maintainer scripts call. */
const OWN_DEPENDS = ['adduser', 'debconf (>= 0.5) | debconf-2.0', 'init-system-helpers (>= 1.52)'];

export interface DebOptions {
  /** A version of package.json; a part after a hyphen makes it older than the version without. */
  version?: string;
  /** A finished application folder; without it one is made. */
  app?: string;
  /** A release is packed by xz, which takes a minute; checks are in a hurry. */
  compression?: 'none' | 'gzip' | 'xz';
}

/** Puts a pre-release before its release, as Debian sorts: 1.0.0-beta.1 becomes 1.0.0~beta.1. */
export const debianVersion = (version: string): string => version.replaceAll('-', '~');

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** Returns the packages with the libraries that the programs and addons of a tree are linked with. */
function libraryDepends(tree: string, architecture: string): string[] {
  const work = mkdtempSync(join(tmpdir(), 'outpost-shlibdeps-'));
  try {
    mkdirSync(join(work, 'debian'));
    writeFileSync(join(work, 'debian/control'), `Source: outpost\n\nPackage: outpost\nArchitecture: ${architecture}\n`);
    const binaries = filesIn(tree).filter((path) => path.endsWith('.node') || path.endsWith('/bin/node'));
    // The tree has no DEBIAN/ yet, which the first group of warnings asks for.
    const parameters = ['-O', '--warnings=0', ...binaries.map((path) => `-e${path}`)];
    const text = execFileSync('dpkg-shlibdeps', parameters, {
      cwd: work,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).toString();
    const [, depends] = /^shlibs:Depends=(.+)$/m.exec(text) ?? [];
    if (!depends) throw new Error('dpkg-shlibdeps found no library that Node needs.');
    return depends.split(', ');
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function controlText(
  version: string,
  architecture: string,
  { installedKib, depends }: { installedKib: number; depends: string[] },
): string {
  return `${[
    'Package: outpost',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${maintainer()}`,
    `Installed-Size: ${installedKib}`,
    `Depends: ${depends.join(', ')}`,
    'Section: science',
    'Priority: optional',
    'Description: local-first workstation for clinical remote-monitoring studies',
    ' Receives heart and motion recordings from charging stations and phones on the',
    ' local network, computes metrics and serves them to its desk and to scripts.',
    ' This package runs the site as a service, without a window.',
  ].join('\n')}\n`;
}

/** Writes DEBIAN/ from what the tree holds. */
function writeControl(tree: string, version: string, architecture: string): void {
  const depends = [...OWN_DEPENDS, ...libraryDepends(tree, architecture)];
  const files = filesIn(tree);
  const sums = files
    .filter((path) => !relative(tree, path).startsWith('etc/'))
    .map((path) => `${createHash('md5').update(readFileSync(path)).digest('hex')}  ${relative(tree, path)}\n`);
  const installedKib = files.reduce((sum, path) => sum + Math.ceil(readFileSync(path).length / 1024), 0);
  const control = join(tree, 'DEBIAN');
  mkdirSync(control);
  writeFileSync(join(control, 'md5sums'), sums.join(''));
  writeFileSync(join(control, 'conffiles'), '/etc/default/outpost\n');
  writeFileSync(join(control, 'control'), controlText(version, architecture, { installedKib, depends }));
  cpSync(join(PARTS, 'templates'), join(control, 'templates'));
  for (const name of SCRIPTS) {
    writeFileSync(join(control, name), readFileSync(join(PARTS, name), 'utf8').replaceAll('@VERSION@', version));
  }
}

/** Fills the tree of installed files. */
async function fillTree(tree: string, app: string | undefined, version: string): Promise<void> {
  const documents = join(tree, 'usr/share/doc/outpost');
  const appFolder = join(tree, 'usr/lib/outpost/app');
  mkdirSync(documents, { recursive: true });
  if (app) cpSync(app, appFolder, { recursive: true });
  else process.stderr.write(`${sizeReport(await makeAppFolder(appFolder))}\n`);
  const bin = join(tree, 'usr/lib/outpost/bin');
  mkdirSync(bin, { recursive: true });
  cpSync(nodeProgram(), join(bin, 'node'));
  addRuntime(join(appFolder, 'sbom.cdx.json'));
  writeFileSync(join(documents, 'NODE-LICENCE.gz'), gzipSync(nodeLicence(), { level: 9 }));
  const put = (name: string, place: string) => {
    mkdirSync(dirname(join(tree, place)), { recursive: true });
    cpSync(join(PARTS, name), join(tree, place));
  };
  put('outpost', 'usr/bin/outpost');
  put('outpost.service', 'usr/lib/systemd/system/outpost.service');
  put('default', 'etc/default/outpost');
  put('README.md', 'usr/share/doc/outpost/README.md');
  put('lintian-overrides', 'usr/share/lintian/overrides/outpost');
  const manual = join(tree, 'usr/share/man/man1');
  mkdirSync(manual, { recursive: true });
  writeFileSync(join(manual, 'outpost.1.gz'), gzipSync(readFileSync(join(PARTS, 'outpost.1')), { level: 9 }));
  const licence = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
  writeFileSync(join(documents, 'copyright'), `${readFileSync(join(PARTS, 'copyright'), 'utf8')}\n${licence}`);
  const change = `outpost (${version}) stable; urgency=medium\n\n  * See https://keepachangelog.com entries in CHANGELOG.md.gz.\n\n`;
  const signed = `${change} -- ${maintainer()}  Thu, 01 Jan 1970 00:00:00 +0000\n`;
  writeFileSync(join(documents, 'changelog.gz'), gzipSync(signed, { level: 9 }));
  writeFileSync(join(documents, 'CHANGELOG.md.gz'), gzipSync(readFileSync(join(ROOT, 'CHANGELOG.md')), { level: 9 }));
}

/** Sets the modes that Debian asks for, whatever the umask of the computer that builds. */
function setModes(tree: string): void {
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', tree]);
  for (const path of filesIn(tree)) {
    const isProgram =
      path.endsWith('/bin/node') ||
      path.endsWith('/bin/outpost') ||
      SCRIPTS.some((name) => path.endsWith(`/DEBIAN/${name}`));
    chmodSync(path, isProgram ? 0o755 : 0o644);
  }
}

/** Builds the package and returns its path. @throws Error when the build, Debian's tools or a Node for this processor are missing */
export async function makeDeb(to: string, options: DebOptions = {}): Promise<string> {
  const architecture = ARCHITECTURES[process.arch];
  if (!architecture || process.platform !== 'linux') throw new Error('The package is built on Linux, x64 or arm64.');
  const version = debianVersion(options.version ?? VERSION);
  const work = mkdtempSync(join(tmpdir(), 'outpost-deb-'));
  try {
    const tree = join(work, 'tree');
    await fillTree(tree, options.app, version);
    writeControl(tree, version, architecture);
    setModes(tree);
    mkdirSync(to, { recursive: true });
    const path = join(to, `outpost_${version}_${architecture}.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', `-Z${options.compression ?? 'xz'}`, '--build', tree, path], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return path;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [to, version] = process.argv.slice(2);
  if (!to) throw new Error('Name a folder for the package.');
  process.stdout.write(`${await makeDeb(resolve(to), version ? { version } : {})}\n`);
}

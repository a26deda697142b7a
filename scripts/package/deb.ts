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

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PARTS = fileURLToPath(new URL('./debian/', import.meta.url));
const ARCHITECTURES: Partial<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
/** An address of the project would belong here; a package must name somebody. */
const MAINTAINER = 'Outpost maintainers <outpost@localhost.localdomain>';

/** The Node that the project pins, with its licence, from the npm package `node`. */
function copyNode(to: string, documents: string): void {
  const folder = join(ROOT, 'node_modules/node/node_modules', `node-${process.platform}-${process.arch}`);
  mkdirSync(to, { recursive: true });
  cpSync(join(folder, 'bin/node'), join(to, 'node'));
  chmodSync(join(to, 'node'), 0o755);
  const licence = readFileSync(join(folder, 'LICENSE'));
  writeFileSync(join(documents, 'NODE-LICENCE.gz'), gzipSync(licence, { level: 9 }));
}

function controlText(version: string, architecture: string, installedKib: number): string {
  return `${[
    'Package: outpost',
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${MAINTAINER}`,
    `Installed-Size: ${installedKib}`,
    // Node is linked with these; adduser makes the user of the service.
    'Depends: adduser, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 9)',
    'Section: science',
    'Priority: optional',
    'Description: local-first workstation for clinical remote-monitoring studies',
    ' Receives heart and motion recordings from charging stations and phones on the',
    ' local network, computes metrics and serves them to its desk and to scripts.',
    ' This package runs the site as a service, without a window.',
  ].join('\n')}\n`;
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** Writes DEBIAN/ from what the tree holds. */
function writeControl(tree: string, version: string, architecture: string): void {
  const files = filesIn(tree);
  const sums = files
    .filter((path) => !relative(tree, path).startsWith('etc/'))
    .map((path) => `${createHash('md5').update(readFileSync(path)).digest('hex')}  ${relative(tree, path)}\n`);
  const installedKib = files.reduce((sum, path) => sum + Math.ceil(readFileSync(path).length / 1024), 0);
  const control = join(tree, 'DEBIAN');
  mkdirSync(control);
  writeFileSync(join(control, 'md5sums'), sums.join(''));
  writeFileSync(join(control, 'conffiles'), '/etc/default/outpost\n');
  writeFileSync(join(control, 'control'), controlText(version, architecture, installedKib));
  for (const name of ['postinst', 'prerm', 'postrm']) {
    cpSync(join(PARTS, name), join(control, name));
    chmodSync(join(control, name), 0o755);
  }
}

/** Builds the package and returns its path. @throws Error when the build, dpkg-deb or a Node for this processor is missing */
export async function makeDeb(to: string, version = VERSION): Promise<string> {
  const architecture = ARCHITECTURES[process.arch];
  if (!architecture || process.platform !== 'linux') throw new Error('The package is built on Linux, x64 or arm64.');
  const work = mkdtempSync(join(tmpdir(), 'outpost-deb-'));
  try {
    const tree = join(work, 'tree');
    const documents = join(tree, 'usr/share/doc/outpost');
    mkdirSync(documents, { recursive: true });
    process.stderr.write(`${sizeReport(await makeAppFolder(join(tree, 'usr/lib/outpost/app')))}\n`);
    copyNode(join(tree, 'usr/lib/outpost/bin'), documents);
    const put = (name: string, place: string, mode: number) => {
      mkdirSync(dirname(join(tree, place)), { recursive: true });
      cpSync(join(PARTS, name), join(tree, place));
      chmodSync(join(tree, place), mode);
    };
    put('outpost', 'usr/bin/outpost', 0o755);
    put('outpost.service', 'lib/systemd/system/outpost.service', 0o644);
    put('default', 'etc/default/outpost', 0o644);
    put('README.md', 'usr/share/doc/outpost/README.md', 0o644);
    cpSync(join(ROOT, 'LICENSE'), join(documents, 'copyright'));
    writeFileSync(join(documents, 'changelog.gz'), gzipSync(readFileSync(join(ROOT, 'CHANGELOG.md')), { level: 9 }));
    writeControl(tree, version, architecture);
    execFileSync('chmod', ['-R', 'u=rwX,go=rX', tree]);
    mkdirSync(to, { recursive: true });
    const path = join(to, `outpost_${version}_${architecture}.deb`);
    execFileSync('dpkg-deb', ['--root-owner-group', '-Zxz', '-z6', '--build', tree, path], {
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
  process.stdout.write(`${await makeDeb(resolve(to), version)}\n`);
}

/** The Node that packages without Electron carry: the one that the project pins, with its licence. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
/** What the npm package `node` installs, for this platform and processor. */
const PLATFORM_PACKAGE = `node-${process.platform}-${process.arch}`;

const versionOf = (program: string): string => execFileSync(program, ['--version']).toString().trim().replace(/^v/, '');

/** Returns the path of Node's program file. @throws Error when the packages are not installed */
export function nodeProgram(): string {
  const path = join(MODULES, 'node/bin/node');
  if (!existsSync(path)) throw new Error('The Node of the project is missing. Run "npm ci".');
  return path;
}

/** Returns Node's licence with those of the libraries in it; a later npm command may have removed it, then npm fetches it again. */
export function nodeLicence(): Buffer {
  const installed = join(MODULES, 'node/node_modules', PLATFORM_PACKAGE, 'LICENSE');
  if (existsSync(installed)) return readFileSync(installed);
  const version = versionOf(nodeProgram());
  const cached = join(MODULES, `.cache-node-licence-${version}.txt`);
  if (existsSync(cached)) return readFileSync(cached);
  const work = mkdtempSync(join(tmpdir(), 'outpost-node-'));
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    execFileSync('npm', ['pack', '--silent', `${PLATFORM_PACKAGE}@${version}`], { cwd: work, stdio });
    execFileSync('tar', ['-xzf', `${PLATFORM_PACKAGE}-${version}.tgz`, 'package/LICENSE'], { cwd: work, stdio });
    const licence = readFileSync(join(work, 'package/LICENSE'));
    writeFileSync(cached, licence);
    return licence;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

interface Bom {
  components: Record<string, unknown>[];
}

/** Adds Node to a bill of materials, which lists npm's packages only. */
export function addRuntime(path: string): void {
  const bom = JSON.parse(readFileSync(path, 'utf8')) as Bom;
  const version = versionOf(nodeProgram());
  const purl = `pkg:generic/node@${version}`;
  bom.components.push({ 'bom-ref': purl, type: 'platform', name: 'node', version, scope: 'required', purl });
  writeFileSync(path, `${JSON.stringify(bom, null, 2)}\n`);
}

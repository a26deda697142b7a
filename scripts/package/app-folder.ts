/**
 * Makes the application folder that every installer carries: the built program, the packages that it loads, the licences and
 * the bill of materials. It runs anywhere, without the sources. Run as a script: `app-folder.ts <new folder>`.
 */
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyPackages, type Target } from './copy-packages.ts';
import { thirdPartyLicences } from './licences.ts';
import { packageFolderOf, packagesInPages, reachedFiles } from './reached-files.ts';
import { billOfMaterials } from './sbom.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** What the folder may take. A package that adds more is looked at before it ships. */
const BUDGET_BYTES = 40e6;

export interface AppFolder {
  packages: number;
  bytes: Record<'program' | 'desk' | 'phone' | 'packages', number>;
}

const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).reduce(
    (sum, entry) => sum + (entry.isFile() ? lstatSync(join(entry.parentPath, entry.name)).size : 0),
    0,
  );

/** Members of package.json that a running program reads. */
function writeManifest(to: string, version?: string): void {
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, description, license, type, main } = own;
  const manifest = { name, version: version ?? own.version, description, license, type, main };
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Compares what the packed program reaches with what the built one reaches. @throws Error when files differ */
async function proveComplete(to: string, from: { reached: ReadonlySet<string>; modules: string }): Promise<void> {
  const packed = new Set([...(await reachedFiles(to))].map((path) => relative(to, path)));
  const missing = [...from.reached]
    .map((path) => join('node_modules', relative(from.modules, path)))
    .filter((path) => !packed.has(path));
  if (missing.length > 0) throw new Error(`The application folder lacks ${missing.join(', ')}.`);
}

/**
 * Makes the application folder from the finished build.
 * @param to a new or empty folder
 * @throws Error when the build is missing, the folder is not empty, a licence is not permissive, or a file is missing
 */
export async function makeAppFolder(to: string, target: Target = process): Promise<AppFolder> {
  if (!existsSync(join(ROOT, 'out/main/cli.js')))
    throw new Error('The program is not built. Run "npm run build" first.');
  mkdirSync(to, { recursive: true });
  if (readdirSync(to).length > 0) throw new Error(`${to} is not empty.`);
  // node_modules may be a link to a folder elsewhere; Node and the bundler see the place itself.
  const modules = realpathSync(join(ROOT, 'node_modules'));
  for (const name of ['main', 'preload', 'renderer', 'phone']) {
    // Source maps are for developers; the desk's are larger than the desk.
    cpSync(join(ROOT, 'out', name), join(to, 'out', name), {
      recursive: true,
      filter: (path) => !/\.map(\.\w+)?$/.test(path),
    });
  }
  const reached = await reachedFiles(ROOT);
  const packages = new Set([...reached].map((path) => packageFolderOf(path)!));
  copyPackages(packages, { from: modules, to: join(to, 'node_modules'), target });
  await proveComplete(realpathSync(to), { reached, modules });
  const folders = [...new Set([...packages, ...packagesInPages(ROOT)])];
  writeManifest(to);
  cpSync(join(ROOT, 'LICENSE'), join(to, 'LICENSE'));
  writeFileSync(join(to, 'THIRD-PARTY-LICENCES.txt'), thirdPartyLicences(folders));
  writeFileSync(join(to, 'sbom.cdx.json'), `${JSON.stringify(billOfMaterials(ROOT, folders), null, 2)}\n`);
  const bytes = {
    program: bytesIn(join(to, 'out/main')) + bytesIn(join(to, 'out/preload')),
    desk: bytesIn(join(to, 'out/renderer')),
    phone: bytesIn(join(to, 'out/phone')),
    packages: bytesIn(join(to, 'node_modules')),
  };
  const total = bytesIn(to);
  if (total > BUDGET_BYTES) throw new Error(`The application folder takes ${total} bytes, more than ${BUDGET_BYTES}.`);
  return { packages: packages.size, bytes };
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** One line on the size of the folder, beside its budget. */
export function sizeReport({ packages, bytes }: AppFolder): string {
  const total = bytes.program + bytes.desk + bytes.phone + bytes.packages;
  return (
    `Application folder: ${megabytes(total)} of ${megabytes(BUDGET_BYTES)} allowed (program ${megabytes(bytes.program)}, ` +
    `desk ${megabytes(bytes.desk)}, phone ${megabytes(bytes.phone)}, ${packages} packages ${megabytes(bytes.packages)})`
  );
}

if (import.meta.main) {
  const [to] = process.argv.slice(2);
  if (!to) throw new Error('Name a new folder.');
  process.stderr.write(`${sizeReport(await makeAppFolder(resolve(to)))}\n`);
}

/**
 * Adds to package-lock.json the optional packages of other systems that an install here could not look up. A registry
 * mirror may carry only the packages of its own system; npm then leaves the others out, and `npm ci` refuses the lock as
 * incomplete, on every machine. Their versions are pinned by the package that names them; they have no hash until an
 * install on such a system adds it. Run after each `npm install`.
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface LockedPackage {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8')) as { packages: Record<string, LockedPackage> };
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'];

let added = 0;
for (const [place, owner] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    const top = `node_modules/${name}`;
    if (lock.packages[top] || lock.packages[`${place}/${top}`]) continue;
    const words = name.split('/').at(-1)!.split('-');
    const os = SYSTEMS.find((system) => words.includes(system));
    const cpu = PROCESSORS.find((processor) => words.includes(processor));
    if (!os || !/^\d/.test(version)) throw new Error(`The system of ${name} ${version} cannot be told from its name.`);
    lock.packages[top] = {
      version,
      ...(cpu && { cpu: [cpu] }),
      ...(owner.dev && { dev: true }),
      optional: true,
      os: [os],
    };
    added++;
  }
}
if (added > 0) {
  const root = lock.packages[''];
  const rest = Object.entries(lock.packages).filter(([place]) => place !== '');
  lock.packages = Object.fromEntries([['', root], ...rest.sort(([a], [b]) => (a < b ? -1 : 1))]);
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
}
process.stderr.write(`${added} optional packages of other systems added.\n`);

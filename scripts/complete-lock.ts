/**
 * Adds the optional packages of other operating systems to package-lock.json. A registry mirror may carry only the packages
 * of its own system: npm then omits the others from the lock, and `npm ci` rejects the lock as incomplete on every machine.
 * The package that depends on them pins their versions; their hashes stay out until an install on such a system adds them.
 * Run after each `npm install`.
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

const lockUrl = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(lockUrl, 'utf8')) as { packages: Record<string, LockedPackage> };
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64'];

let added = 0;
for (const [path, owner] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(owner.optionalDependencies ?? {})) {
    const hoisted = `node_modules/${name}`;
    if (lock.packages[hoisted] || lock.packages[`${path}/${hoisted}`]) continue;
    const words = name.split('/').at(-1)!.split('-');
    const os = SYSTEMS.find((system) => words.includes(system));
    const cpu = PROCESSORS.find((processor) => words.includes(processor));
    if (!os || !/^\d/.test(version))
      throw new Error(`The name ${name} (${version}) does not name an operating system.`);
    lock.packages[hoisted] = {
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
  // The root package has the empty path, which sorts first.
  lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(lockUrl, `${JSON.stringify(lock, null, 2)}\n`);
}
process.stderr.write(`${added} optional packages of other systems added.\n`);

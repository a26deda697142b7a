/**
 * A clean Debian with its own systemd, in a container without a network: what a package meets on a server that nobody prepared.
 * Needs root, mmdebstrap, systemd-nspawn, nsenter and a Debian mirror.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Debian's oldest release that the package supports. */
const SUITE = 'bookworm';
/** The host may have no systemd to register a machine with. */
const UNREGISTERED = ['--register=no', '--keep-unit'];
const BOOT_TIMEOUT_MS = 120_000;
const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' };

export interface Ran {
  code: number;
  /** Both outputs, as a person at the terminal sees them. */
  text: string;
}

export interface Machine {
  /** Runs a command as root and returns its outputs and exit code. */
  run(command: string, environment?: Record<string, string>): Promise<Ran>;
  /** Runs a command that has to succeed and returns its stdout. @throws Error with both outputs */
  do(command: string, environment?: Record<string, string>): Promise<string>;
  /** Runs a program of the host in the network of the machine. @throws Error when it fails */
  fromHost(program: string, ...parameters: string[]): Promise<string>;
  stop(): Promise<void>;
}

/** Makes a minimal Debian with systemd in a new folder. */
export function makeRoot(root: string): void {
  execFileSync('mmdebstrap', ['--variant=minbase', '--include=systemd-sysv,dbus', SUITE, root], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Installs what the control file of a package asks for, and nothing else, from Debian's mirror. */
export function installDepends(root: string, depends: string): void {
  const inRoot = (...command: string[]) =>
    execFileSync('systemd-nspawn', ['-D', root, ...UNREGISTERED, '--quiet', '--pipe', ...command], {
      env: ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  inRoot('apt-get', '-qq', 'update');
  const environment = ['--setenv=DEBIAN_FRONTEND=noninteractive', '--'];
  inRoot(...environment, 'apt-get', '-qq', 'satisfy', '-y', '--no-install-recommends', depends);
}

const childrenOf = (pid: number): number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );

/** Returns the process that the container sees as its first. */
function firstProcess(pid: number): number | undefined {
  for (const child of childrenOf(pid)) {
    const ids = /^NSpid:\s+(.*)$/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))?.[1]?.split('\t') ?? [];
    if (ids.length > 1 && ids.at(-1) === '1') return child;
    const found = firstProcess(child);
    if (found) return found;
  }
  return undefined;
}

async function untilBooted(nspawn: ChildProcess): Promise<number> {
  for (let waitedMs = 0; waitedMs < BOOT_TIMEOUT_MS; waitedMs += 200) {
    if (nspawn.exitCode !== null) throw new Error(`systemd-nspawn ended with code ${nspawn.exitCode}.`);
    const leader = firstProcess(nspawn.pid!);
    if (leader) {
      // It fails while the system starts, and answers "degraded" where a unit of Debian does not suit a container.
      const state = await promisify(execFile)('nsenter', [...allOf(leader), 'systemctl', 'is-system-running'], {
        env: ENVIRONMENT,
      }).catch((thrown: { stdout?: string }) => ({ stdout: thrown.stdout ?? '' }));
      if (/^(running|degraded)/.test(state.stdout)) return leader;
    }
    await sleep(200);
  }
  throw new Error('The container did not start.');
}

const allOf = (leader: number): string[] => [
  `--target=${leader}`,
  ...['--mount', '--uts', '--ipc', '--net', '--pid', '--root', '--wdns=/root'],
  '--',
];

/** Starts the system in a folder that `makeRoot` made. */
export async function boot(root: string): Promise<Machine> {
  const parameters = ['-D', root, ...UNREGISTERED, '--private-network', '--boot'];
  const nspawn = spawn('systemd-nspawn', parameters, { stdio: 'ignore' });
  const ended = once(nspawn, 'exit');
  const leader = await untilBooted(nspawn);
  const start = (command: string, environment: Record<string, string>) =>
    promisify(execFile)('nsenter', [...allOf(leader), 'sh', '-c', `exec </dev/null; ${command}`], {
      env: { ...ENVIRONMENT, ...environment },
      maxBuffer: 64e6,
    });
  return {
    run: async (command, environment = {}) => {
      try {
        const { stdout, stderr } = await start(command, environment);
        return { code: 0, text: stdout + stderr };
      } catch (thrown) {
        const { code, stdout, stderr } = thrown as { code: unknown; stdout: string; stderr: string };
        if (typeof code !== 'number') throw thrown;
        return { code, text: stdout + stderr };
      }
    },
    do: async (command, environment = {}) => {
      try {
        return (await start(command, environment)).stdout;
      } catch (thrown) {
        const { stdout, stderr } = thrown as { stdout: string; stderr: string };
        throw new Error(`"${command}" failed: ${stdout}${stderr}`, { cause: thrown });
      }
    },
    fromHost: async (...command) => {
      const { stdout } = await promisify(execFile)('nsenter', [`--target=${leader}`, '--net', '--', ...command]);
      return stdout;
    },
    stop: async () => {
      // Two of these signals end a container whose system hangs.
      nspawn.kill('SIGTERM');
      await ended;
    },
  };
}

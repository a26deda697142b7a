/** Which program listens on a port of this computer, for the words of PORT_TAKEN. */
import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { OutpostError } from './errors.ts';

export interface PortOwner {
  pid: number;
  name: string;
}

const run = promisify(execFile);
/** The answer is worth waiting for, but not long. */
const LIMIT_MS = 3000;

/** Undefined where the system does not tell, such as about a process of another account. */
export async function portOwner(port: number): Promise<PortOwner | undefined> {
  try {
    if (process.platform === 'linux') return await linuxOwner(port);
    const options = { timeout: LIMIT_MS, windowsHide: true };
    if (process.platform === 'win32') {
      const pid = netstatOwner((await run('netstat', ['-ano', '-p', 'TCP'], options)).stdout, port);
      if (pid === undefined) return undefined;
      const { stdout } = await run('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH'], options);
      return { pid, name: /^"([^"]+)"/m.exec(stdout)?.[1] ?? 'unknown' };
    }
    return lsofOwner((await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], options)).stdout);
  } catch {
    return undefined;
  }
}

/** From the output of `netstat -ano`: the last column of a line that listens is the process. */
export function netstatOwner(output: string, port: number): number | undefined {
  for (const line of output.split(/\r?\n/)) {
    const [protocol, local = '', remote = '', ...rest] = line.trim().split(/\s+/);
    // The state is translated; a socket that listens has no peer.
    if (protocol === 'TCP' && local.endsWith(`:${port}`) && /:0$/.test(remote)) return Number(rest.at(-1)) || undefined;
  }
  return undefined;
}

/** From the output of `lsof -Fpc`. */
export function lsofOwner(output: string): PortOwner | undefined {
  const pid = /^p(\d+)$/m.exec(output)?.[1];
  return pid === undefined ? undefined : { pid: Number(pid), name: /^c(.+)$/m.exec(output)?.[1] ?? 'unknown' };
}

async function linuxOwner(port: number): Promise<PortOwner | undefined> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = new Set(
    tables
      .join('\n')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      // 0A: it listens.
      .filter(([, local, , state]) => local?.endsWith(wanted) && state === '0A')
      .map((columns) => `socket:[${columns[9]}]`),
  );
  if (sockets.size === 0) return undefined;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    for (const file of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      const target = await readlink(`/proc/${pid}/fd/${file}`).catch(() => '');
      if (!sockets.has(target)) continue;
      // Not the name of the process, which can be that of its first thread.
      const program = await readlink(`/proc/${pid}/exe`);
      return { pid: Number(pid), name: basename(program) };
    }
  }
  return undefined;
}

/**
 * The error of a port that cannot be used; any other failure unchanged.
 * @param use completes "Port 8480 ..."
 * @param advice what to do other than to close the other program
 */
export async function portFailure(
  thrown: NodeJS.ErrnoException,
  { port, use = '', advice }: { port: number; use?: string; advice: string },
): Promise<unknown> {
  const which = `Port ${port}${use}`;
  if (thrown.code === 'EACCES') {
    const message = `${which} cannot be used: this account may not listen on it. Use a port of 1024 or more: ${advice}.`;
    return new OutpostError('PORT_TAKEN', message, { details: { port }, cause: thrown });
  }
  if (thrown.code !== 'EADDRINUSE') return thrown;
  const owner = await portOwner(port);
  const who = owner ? `${owner.name} (process ${owner.pid})` : 'another program';
  return new OutpostError('PORT_TAKEN', `${which} cannot be used: ${who} has it. Close that program, or ${advice}.`, {
    details: { port, ...(owner && { pid: owner.pid }) },
    cause: thrown,
  });
}

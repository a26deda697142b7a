/**
 * Loaded with `--import` into a measured process. Answers what the process has used so far at a port that it writes to
 * METER_FILE, and writes the final figures to METER_FILE.end at a regular exit.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isMainThread } from 'node:worker_threads';

export interface Usage {
  /** CPU time of the main thread, which serves all requests. */
  threadMs: number;
  /** CPU time of all threads. */
  processMs: number;
  residentBytes: number;
  peakBytes: number;
  /** By calls of the process, from the disk or its cache, and to it; 0 where the system does not count them. */
  readBytes: number;
  writtenBytes: number;
}

const inMs = ({ user, system }: { user: number; system: number }) => (user + system) / 1000;

function usage(): Usage {
  const { maxRSS } = process.resourceUsage();
  let peakBytes = maxRSS * 1024;
  let [readBytes, writtenBytes] = [0, 0];
  try {
    peakBytes = 1024 * Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
    const io = readFileSync('/proc/self/io', 'utf8');
    [readBytes, writtenBytes] = [/rchar: (\d+)/, /wchar: (\d+)/].map((pattern) => Number(pattern.exec(io)?.[1])) as [
      number,
      number,
    ];
  } catch {
    // Only Linux has /proc.
  }
  return {
    threadMs: inMs(process.threadCpuUsage()),
    processMs: inMs(process.cpuUsage()),
    residentBytes: process.memoryUsage.rss(),
    peakBytes,
    readBytes,
    writtenBytes,
  };
}

function write(path: string, content: unknown): void {
  writeFileSync(`${path}.partial`, JSON.stringify(content));
  renameSync(`${path}.partial`, path);
}

const file = process.env.METER_FILE;
if (isMainThread && file) {
  const server = createServer((_request, response) => response.end(JSON.stringify(usage())));
  server.listen(0, '127.0.0.1', () => write(file, { port: (server.address() as AddressInfo).port }));
  server.unref();
  process.on('exit', () => write(`${file}.end`, usage()));
}

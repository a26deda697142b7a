/** The removable drives of this computer: USB sticks and disks, memory cards. Where the system does not tell, there are none. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Drive, parseDiskutil, parseLsblk, parseVolumes } from './parse.ts';

const run = promisify(execFile);
/** A drive that hangs keeps nothing else waiting. */
const TIMEOUT_MS = 5000;
/** Asked again and again by pages and the scheduler. */
const KEPT_MS = 2000;

const LSBLK_COLUMNS = 'NAME,LABEL,MODEL,RM,HOTPLUG,TRAN,MOUNTPOINT,RO';
const VOLUMES =
  "Get-Disk | Where-Object { $_.BusType -in 'USB','SD','MMC','1394' } | ForEach-Object { $disk = $_; $disk | Get-Partition | Get-Volume | Where-Object DriveLetter | ForEach-Object { [pscustomobject]@{ DriveLetter = [string]$_.DriveLetter; FileSystemLabel = $_.FileSystemLabel; FriendlyName = $disk.FriendlyName; IsReadOnly = $disk.IsReadOnly } } } | ConvertTo-Json";

async function outputOf(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await run(program, [...args], { timeout: TIMEOUT_MS, windowsHide: true, maxBuffer: 1 << 22 });
  return stdout;
}

async function drivesOfMac(): Promise<Drive[]> {
  const names = await readdir('/Volumes');
  const found = await Promise.all(
    names.map(async (name) => {
      const plist = await outputOf('diskutil', ['info', '-plist', join('/Volumes', name)]).catch(() => '');
      return parseDiskutil(plist) ?? [];
    }),
  );
  return found.flat();
}

async function readDrives(): Promise<Drive[]> {
  try {
    if (process.platform === 'darwin') return await drivesOfMac();
    if (process.platform === 'win32')
      return parseVolumes(await outputOf('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', VOLUMES]));
    return parseLsblk(await outputOf('lsblk', ['-J', '-o', LSBLK_COLUMNS]));
  } catch {
    return [];
  }
}

let known: { untilMs: number; drives: Promise<Drive[]> } | undefined;

/** The drives that are connected and mounted. */
export async function listDrives(): Promise<Drive[]> {
  const nowMs = performance.now();
  if (!known || nowMs > known.untilMs) known = { untilMs: nowMs + KEPT_MS, drives: readDrives() };
  return await known.drives;
}

/** Has the system write everything of the file system of a folder to its disk. Files of backups are there already. */
export async function flushDisk(directory: string): Promise<void> {
  if (process.platform === 'win32') {
    const letter = /^([A-Za-z]):/.exec(directory)?.[1];
    if (letter !== undefined) {
      await outputOf('powershell.exe', [
        '-NoProfile',
        '-NonInteractive',
        '-Command',
        `Write-VolumeCache -DriveLetter ${letter}`,
      ]);
    }
    return;
  }
  await outputOf('sync', process.platform === 'darwin' ? [] : ['-f', directory]);
}

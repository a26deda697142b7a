import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { syncDirectory, writeDurably } from './durable-files.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'outpost-durable-'));
});
afterEach(() => {
  vi.unstubAllGlobals();
  rmSync(dir, { recursive: true, force: true });
});

describe('writeDurably', () => {
  it('replaces a file, keeps its private mode and leaves no partial file', async () => {
    const path = join(dir, 'site.json');
    await writeDurably(path, 'old', 0o600);
    await writeDurably(path, new TextEncoder().encode('new'), 0o600);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readdirSync(dir)).toEqual(['site.json']);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('leaves no partial file when it fails', async () => {
    const path = join(dir, 'taken');
    mkdirSync(join(path, 'inside'), { recursive: true });
    await expect(writeDurably(path, 'x')).rejects.toThrow();
    expect(readdirSync(dir)).toEqual(['taken']);
  });
});

describe('syncDirectory', () => {
  it('fails for a missing folder, and does nothing on Windows', async () => {
    const missing = join(dir, 'missing');
    await expect(syncDirectory(missing)).rejects.toMatchObject({ code: 'ENOENT' });
    vi.stubGlobal('process', { ...process, platform: 'win32' });
    await expect(syncDirectory(missing)).resolves.toBeUndefined();
  });
});

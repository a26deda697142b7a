import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SettingsFile } from './settings.ts';
import { WindowCrashes } from './window-crashes.ts';

const DAY_MS = 24 * 3_600_000;

test('counts the crashes of a week over restarts of the program, and reports the last one until it is read', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'outpost-crashes-'));
  try {
    const path = join(folder, 'desktop.json');
    let nowMs = 100 * DAY_MS;
    const settings = new SettingsFile(path);
    const crashes = new WindowCrashes(settings, () => nowMs);
    expect(crashes.unread).toBeNull();
    crashes.add('crashed');
    nowMs += 5 * DAY_MS;
    crashes.add('oom');
    expect(crashes.unread).toEqual({ atMs: nowMs, cause: 'memory', countOfWeek: 2 });
    crashes.add('hung');
    expect(crashes.unread).toMatchObject({ cause: 'hang', countOfWeek: 3 });
    nowMs += 3 * DAY_MS;
    expect(crashes.unread?.countOfWeek).toBe(2);
    crashes.markRead();
    expect(crashes.unread).toBeNull();
    for (let i = 0; i < 100; i++) crashes.add('crashed');
    await settings.stored();
    const next = new WindowCrashes(new SettingsFile(path), () => nowMs);
    expect(next.countOfWeek).toBe(50);
    expect(next.unread).toBeNull();
    nowMs -= DAY_MS;
    expect(next.countOfWeek).toBe(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

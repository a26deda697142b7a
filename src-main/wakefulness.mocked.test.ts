import { expect, test, vi } from 'vitest';
import type { Receiving } from './receiving.ts';

const { power, blockers } = vi.hoisted(() => ({ power: { onBatteryPower: false }, blockers: new Set<number>() }));

vi.mock('electron', () => ({
  powerMonitor: power,
  powerSaveBlocker: {
    start: () => blockers.add(blockers.size + 1).size,
    stop: (id: number) => blockers.delete(id),
  },
}));

test('blocks sleep once while a file arrives, and while one could arrive only if wanted and on mains power', async () => {
  const { Wakefulness } = await import('./wakefulness.ts');
  let receiving: Receiving = { state: 'ready' };
  let isWanted = false;
  const wakefulness = new Wakefulness(
    () => receiving,
    () => isWanted,
  );
  const count = () => {
    wakefulness.update();
    wakefulness.update();
    return blockers.size;
  };
  expect(count()).toBe(0);
  receiving = { state: 'receiving', files: 2 };
  expect(count()).toBe(1);
  // A file under way is finished on the battery too.
  power.onBatteryPower = true;
  expect(count()).toBe(1);
  receiving = { state: 'ready' };
  isWanted = true;
  expect(count()).toBe(0);
  power.onBatteryPower = false;
  expect(count()).toBe(1);
  for (const state of ['closed', 'off', 'damaged'] as const) {
    receiving = { state };
    expect(count(), state).toBe(0);
  }
  receiving = { state: 'failed', code: 'PORT_TAKEN', message: '' };
  expect(count()).toBe(0);
});

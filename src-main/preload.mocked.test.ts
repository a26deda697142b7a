import { expect, test, vi } from 'vitest';
import { CHANNELS, type DesktopApi } from './desktop-api.ts';

const { exposed, invoke } = vi.hoisted(() => ({
  exposed: {} as Record<string, Record<string, (...values: unknown[]) => unknown>>,
  invoke: vi.fn(),
}));

vi.mock('electron', () => ({
  contextBridge: { exposeInMainWorld: (name: string, api: (typeof exposed)[string]) => (exposed[name] = api) },
  ipcRenderer: { invoke },
}));

test('exposes one function for each channel, and calls nothing else', async () => {
  await import('./preload.ts');
  expect(Object.keys(exposed)).toEqual(['outpostDesktop']);
  const api = exposed.outpostDesktop ?? {};
  expect(Object.keys(api).sort()).toEqual(Object.keys(CHANNELS).sort());
  for (const [name, call] of Object.entries(api)) {
    invoke.mockClear();
    call('first', 'second', 'third');
    expect(invoke.mock.calls).toHaveLength(1);
    const [channel, ...values] = invoke.mock.calls[0] ?? [];
    expect(channel).toBe(CHANNELS[name as keyof DesktopApi]);
    // A page cannot slip in more than the function takes.
    expect(values).toEqual(['first', 'second', 'third'].slice(0, call.length));
  }
});

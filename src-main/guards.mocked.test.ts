import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';

const { app } = vi.hoisted(() => ({ app: { created: (_event: unknown, _contents: unknown): void => undefined } }));

vi.mock('electron', () => ({
  app: {
    on: (_name: string, listener: typeof app.created) => {
      app.created = listener;
    },
  },
  session: { defaultSession: { setPermissionRequestHandler: () => {}, setPermissionCheckHandler: () => {} } },
  shell: {},
}));

test('gives no Bluetooth device to a page, where Electron would take the first one', async () => {
  const { installGuards } = await import('./guards.ts');
  installGuards(() => 'http://127.0.0.1:8480');
  const contents = Object.assign(new EventEmitter(), { setWindowOpenHandler: () => undefined });
  app.created(undefined, contents);
  const preventDefault = vi.fn();
  const choose = vi.fn();
  contents.emit('select-bluetooth-device', { preventDefault }, [{ deviceId: 'a1', deviceName: 'Polar H10' }], choose);
  expect(preventDefault).toHaveBeenCalledOnce();
  expect(choose.mock.calls).toEqual([['']]);
});

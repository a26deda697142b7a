import { EventEmitter } from 'node:events';
import { beforeEach, expect, test, vi } from 'vitest';
import { BluetoothPrompts, type PairingRequest } from './bluetooth-prompts.ts';

const SITE = 'http://127.0.0.1:8480';

type Pair = (details: PairingRequest & { frame: object | null }, answer: (answer: object) => void) => void;
const { app, system } = vi.hoisted(() => ({
  app: { created: (_event: unknown, _contents: unknown): void => undefined },
  system: { pair: undefined as unknown },
}));

vi.mock('electron', () => ({
  app: {
    on: (_name: string, listener: typeof app.created) => {
      app.created = listener;
    },
  },
  session: {
    defaultSession: {
      setPermissionRequestHandler: () => {},
      setPermissionCheckHandler: () => {},
      setBluetoothPairingHandler: (handler: unknown) => {
        system.pair = handler;
      },
    },
  },
  shell: {},
}));

let prompts: BluetoothPrompts;

beforeEach(async () => {
  const { installGuards } = await import('./guards.ts');
  prompts = new BluetoothPrompts();
  installGuards(() => SITE, prompts);
});

const openPage = (address: string) => {
  const contents = Object.assign(new EventEmitter(), { setWindowOpenHandler: () => undefined, getURL: () => address });
  app.created(undefined, contents);
  const preventDefault = vi.fn();
  const choose = vi.fn();
  const devices = [{ deviceId: 'a1', deviceName: 'Polar H10' }];
  const ask = () => contents.emit('select-bluetooth-device', { preventDefault }, devices, choose);
  return { contents, preventDefault, choose, ask };
};
const shown = async () => (await prompts.next(null)).prompt;

test('gives no Bluetooth device to a page of another origin, where Electron would take the first one', async () => {
  for (const address of ['https://example.org/', 'data:text/html,hello', '', `${SITE}1/`]) {
    const { preventDefault, choose, ask } = openPage(address);
    ask();
    expect(preventDefault).toHaveBeenCalledOnce();
    expect(choose.mock.calls, address).toEqual([['']]);
    expect(await shown()).toBeNull();
  }
});

test('asks the user which device a page of the site gets, and cancels when that page goes', async () => {
  const { contents, preventDefault, choose, ask } = openPage(`${SITE}/studies`);
  ask();
  expect(preventDefault).toHaveBeenCalledOnce();
  expect(choose).not.toHaveBeenCalled();
  prompts.answer((await shown())?.id, 'a1');
  expect(choose.mock.calls).toEqual([['a1']]);

  choose.mockClear();
  ask();
  contents.emit('did-start-navigation', { isMainFrame: false, isSameDocument: false });
  contents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: true });
  expect(choose).not.toHaveBeenCalled();
  contents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false });
  expect(choose.mock.calls).toEqual([['']]);
  for (const end of ['render-process-gone', 'destroyed']) {
    choose.mockClear();
    ask();
    contents.emit(end);
    expect(choose.mock.calls, end).toEqual([['']]);
  }
});

test('pairs for the main frame of a page of the site only', async () => {
  const { ask } = openPage(`${SITE}/`);
  ask();
  prompts.answer((await shown())?.id, 'a1');
  const details = { deviceId: 'a1', pairingKind: 'confirm' as const };
  const pair = system.pair as Pair;
  for (const frame of [null, { url: 'https://example.org/', parent: null }, { url: `${SITE}/`, parent: {} }]) {
    const answer = vi.fn();
    pair({ ...details, frame }, answer);
    expect(answer.mock.calls).toEqual([[{ confirmed: false }]]);
  }
  const answer = vi.fn();
  pair({ ...details, frame: { url: `${SITE}/`, parent: null } }, answer);
  prompts.answer((await shown())?.id, '');
  expect(answer.mock.calls).toEqual([[{ confirmed: true }]]);
});

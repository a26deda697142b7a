import { expect, test } from 'vitest';
import { acceleratorOf, DeskCommands } from './desk-commands.ts';
import type { DeskCommand } from './desktop-api.ts';

const command = (id: string, more: Partial<DeskCommand> = {}): DeskCommand => ({
  id,
  label: `Do ${id}`,
  keys: null,
  isOfPage: false,
  isEnabled: true,
  ...more,
});

test('names keys as Electron does, and none that would be taken away from fields of text', () => {
  expect(['Mod+K', 'Alt+1', 'Mod+Shift+Z', 'Mod++'].map(acceleratorOf)).toEqual([
    'CmdOrCtrl+K',
    'Alt+1',
    'CmdOrCtrl+Shift+Z',
    'CmdOrCtrl+Plus',
  ]);
  expect(['I', '/', '?', 'F8', null].map(acceleratorOf)).toEqual(Array(5).fill(undefined));
});

test('shows the commands of the screen first, and tells the desk which one was chosen', async () => {
  const commands = new DeskCommands(5);
  let changes = 0;
  commands.onChange = () => changes++;
  const list = [
    command('go', { keys: 'Alt+1' }),
    command('add', { isOfPage: true, isEnabled: false, label: 'Salt & pepper' }),
  ];
  commands.set(list);
  commands.set([...list]);
  expect(changes).toBe(1);
  const items = commands.items('all');
  expect(items.map(({ label, type }) => label ?? type)).toEqual(['Salt && pepper', 'separator', 'Do go']);
  expect(items[0]).toMatchObject({ enabled: false });
  expect(items[2]).toMatchObject({ accelerator: 'Alt+1', registerAccelerator: false });
  expect(commands.items('page')).toHaveLength(1);

  expect(await commands.next()).toBeNull();
  const choose = items[2]?.click as (() => void) | undefined;
  choose?.();
  expect(await commands.next()).toBe('go');
  const waiting = new DeskCommands(60_000);
  waiting.set(list);
  const gone = waiting.next();
  const present = waiting.next();
  expect(await gone).toBeNull();
  (waiting.items('all')[2]?.click as (() => void) | undefined)?.();
  expect(await present).toBe('go');
});

test('refuses what is no list of commands, and keeps the last one', () => {
  const commands = new DeskCommands();
  commands.set([command('go')]);
  for (const wrong of [null, 'go', [{ id: 'go' }], Array.from({ length: 101 }, (_, i) => command(`c${i}`))]) {
    expect(() => commands.set(wrong)).toThrow();
  }
  expect(commands.items('all')).toHaveLength(1);
});

test('hands an address to the page that listens, and to none before somebody is signed in', async () => {
  const commands = new DeskCommands(5);
  expect(commands.open('/exports')).toBe(false);
  commands.set([command('go')]);
  // A page that has shown its commands but not asked yet does not listen.
  expect(commands.open('/exports')).toBe(false);
  const asked = commands.next();
  expect(commands.open('/exports')).toBe(true);
  expect(await asked).toBe('/exports');
  expect(await commands.next()).toBeNull();
  commands.set([]);
  expect(commands.open('/exports')).toBe(false);
});

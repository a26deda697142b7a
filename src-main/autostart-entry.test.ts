import { expect, test } from 'vitest';
import { autostartEntry, isAutostartOn } from './autostart-entry.ts';

const execOf = (entry: string): string => /^Exec=(.*)$/m.exec(entry)?.[1] ?? '';

/** Undoes both escapings, as a desktop does: first that of the string, then that of the quoted argument. */
const argumentsOf = (exec: string): string[] =>
  [
    ...exec
      .replace(/\\(.)/g, (_all, character: string) => (character === 'n' ? '\n' : character))
      .matchAll(/"((?:\\.|[^"\\])*)"/gs),
  ].map(([, text = '']) => text.replace(/\\(.)/gs, '$1').replaceAll('%%', '%'));

test('starts the very program, wherever its folder is', () => {
  const commands = [
    ['/opt/Outpost/outpost', '--background'],
    ['/home/a b/プログラム/Outpost 1.AppImage', '--background'],
    ['/srv/100 %/$HOME/`id`/"x"/back\\slash', '--background'],
  ];
  for (const command of commands) {
    const entry = autostartEntry(command);
    expect(argumentsOf(execOf(entry))).toEqual(command);
    expect(entry.split('\n')[0]).toBe('[Desktop Entry]');
    expect(isAutostartOn(entry)).toBe(true);
  }
});

test('counts as off when the settings of the desktop switched the entry off', () => {
  const entry = autostartEntry(['/opt/outpost']);
  expect(isAutostartOn(`${entry}Hidden=true\n`)).toBe(false);
  expect(isAutostartOn(entry.replace('enabled=true', 'enabled=false'))).toBe(false);
});

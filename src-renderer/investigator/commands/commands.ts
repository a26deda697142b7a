/**
 * Commands of the desk: each is defined once, with its words, keys and enablement, and feeds the keyboard, the palette and
 * the list of keys. Screens add theirs while they show.
 */
import { useEffect, useMemo, useRef } from 'react';
import { preferences } from '../../shared/preferences.ts';
import { createStore, useStore } from '../../shared/store.ts';
import { type ChosenKeys, chosenKeys, useChosenKeys } from './chosen-keys.ts';
import { matches, parseKeys, typesText } from './keys.ts';

export interface Command {
  id: string;
  label: string;
  /** What it comes with, such as `Mod+K` (Ctrl, or Cmd on a Mac), `/`, `?`. Each is an alternative. */
  keys?: readonly string[];
  /** Where the list of keys shows it. */
  scope: 'everywhere' | 'page';
  isEnabled?: boolean;
  run: () => void;
}

const registered = createStore<readonly Command[]>([]);

/** A command with the keys that count: the person's own, else those it comes with. */
function withKeys(command: Command, chosen: ChosenKeys): Command {
  const own = chosen[command.id];
  return own === undefined ? command : { ...command, keys: [own] };
}

export function useCommandList(): readonly Command[] {
  const commands = useStore(registered);
  const chosen = useChosenKeys();
  return useMemo(() => commands.map((command) => withKeys(command, chosen)), [commands, chosen]);
}

/** Offers commands while the calling component shows. The latest definitions count. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands);
  latest.current = commands;
  const signature = commands
    .map((command) => `${command.id}:${command.label}:${command.isEnabled !== false}`)
    .join('|');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for the commands
  useEffect(() => {
    const mine = latest.current.map(
      (command): Command => ({
        ...command,
        run: () => latest.current.find((now) => now.id === command.id)?.run(),
      }),
    );
    registered.set([...registered.get(), ...mine]);
    return () => registered.set(registered.get().filter((command) => !mine.includes(command)));
  }, [signature]);
}

/** Runs the command of a keystroke; a page's command comes before one of everywhere. */
export function handleKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const typing = typesText(event.target);
  const isModal = document.querySelector('[role="dialog"]') !== null;
  const chosen = chosenKeys();
  for (const command of [...registered.get()].reverse()) {
    if (command.isEnabled === false) continue;
    const stroke = (withKeys(command, chosen).keys ?? []).map(parseKeys).find((candidate) => matches(candidate, event));
    if (!stroke) continue;
    if (stroke.isPrintable && (typing || isModal || !preferences.get().singleKeys)) continue;
    event.preventDefault();
    command.run();
    return;
  }
}

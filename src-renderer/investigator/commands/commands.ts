/**
 * The command registry of the desk. Each command is defined once, with its label, keys and enablement, and appears in the
 * keyboard handler, the palette and the list of keys. Screens register their commands while they are mounted.
 */
import { useEffect, useMemo, useRef } from 'react';
import { preferences } from '../../shared/preferences.ts';
import { createStore, useStore } from '../../shared/store.ts';
import { type ChosenKeys, chosenKeys, useChosenKeys } from './chosen-keys.ts';
import { matches, parseKeys, typesText } from './keys.ts';

export interface Command {
  id: string;
  label: string;
  /** The default keys, each an alternative: `Mod+K` (Ctrl, or Cmd on a Mac), `/`, `?`. */
  keys?: readonly string[];
  /** The group in the list of keys. */
  scope: 'everywhere' | 'page';
  isEnabled?: boolean;
  run: () => void;
}

/** Whether a command applies a saved filter. There can be hundreds, more than a menu or the first results should hold. */
export const isSavedFilter = ({ id }: Pick<Command, 'id'>): boolean => id.startsWith('filter ');

const registered = createStore<readonly Command[]>([]);

/** Returns the command with the person's custom key, or with its default keys. */
function withKeys(command: Command, chosen: ChosenKeys): Command {
  const own = chosen[command.id];
  return own === undefined ? command : { ...command, keys: [own] };
}

export function useCommandList(): readonly Command[] {
  const commands = useStore(registered);
  const chosen = useChosenKeys();
  return useMemo(() => commands.map((command) => withKeys(command, chosen)), [commands, chosen]);
}

/** Registers commands while the calling component is mounted; always runs their latest definition. */
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

/** Runs the command of a keystroke. Later registrations win, so a page's command precedes a global one. */
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

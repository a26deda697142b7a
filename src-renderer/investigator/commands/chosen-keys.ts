/** Keys that a person chose for commands in place of those they come with: kept per person on this computer. */
import { session } from '../../shared/api/session.ts';
import { preferences, setPreference } from '../../shared/preferences.ts';
import { useSelected } from '../../shared/store.ts';

/** By the id of the command. */
export type ChosenKeys = Readonly<Record<string, string>>;

const NONE: ChosenKeys = {};
const person = () => session.get()?.user.id ?? '';

export const chosenKeys = (): ChosenKeys => preferences.get().keys[person()] ?? NONE;

export function useChosenKeys(): ChosenKeys {
  return useSelected(preferences, chosenKeys);
}

function store(next: ChosenKeys): void {
  const { [person()]: _, ...others } = preferences.get().keys;
  setPreference('keys', Object.keys(next).length > 0 ? { ...others, [person()]: next } : others);
}

export function chooseKeys(commandId: string, keys: string): void {
  store({ ...chosenKeys(), [commandId]: keys });
}

/** Back to the keys that a command comes with; without one, all of them. */
export function forgetKeys(commandId?: string): void {
  const { [commandId ?? '']: _, ...others } = chosenKeys();
  store(commandId === undefined ? NONE : others);
}

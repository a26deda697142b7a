/** Custom keyboard shortcuts: kept per person on this computer, in place of the default keys of a command. */
import { session } from '../../shared/api/session.ts';
import { preferences, setPreference } from '../../shared/preferences.ts';
import { useSelected } from '../../shared/store.ts';

/** Keys by command id. */
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

/** Restores the default keys of a command, or of all commands when no id is given. */
export function forgetKeys(commandId?: string): void {
  const { [commandId ?? '']: _, ...others } = chosenKeys();
  store(commandId === undefined ? NONE : others);
}

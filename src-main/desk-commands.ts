/** The commands of the desk's present screen, as the desk tells them: the menus show them, and the desk runs the one that is chosen. */
import type { MenuItemConstructorOptions } from 'electron';
import { z } from 'zod';
import type { DeskCommand } from './desktop-api.ts';

/** What a page may put into menus: texts, and no more of them than a menu can hold. */
const COMMANDS = z
  .array(
    z.object({
      id: z.string().min(1).max(100),
      label: z.string().min(1).max(200),
      keys: z.string().max(40).nullable(),
      isOfPage: z.boolean(),
      isEnabled: z.boolean(),
    }),
  )
  .max(100);

/** A waiting page is answered at the latest after this time, so that a page that is gone is not remembered. */
const WAIT_MS = 25_000;

/**
 * Returns the desk's keys in Electron's words; none for a key without Ctrl, Cmd or Alt, which a menu of macOS would take away from
 * fields of text.
 */
export const acceleratorOf = (keys: string | null): string | undefined =>
  keys !== null && /^(Mod|Alt)\+/.test(keys) ? keys.replace('Mod', 'CmdOrCtrl').replace(/\+\+$/, '+Plus') : undefined;

export class DeskCommands {
  #commands: readonly DeskCommand[] = [];
  #chosen: string | null = null;
  #asked = false;
  #wake: (() => void) | null = null;
  readonly #waitMs: number;
  /** Called when the menus should be rebuilt. */
  onChange: () => void = () => {};

  constructor(waitMs = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /** @throws ZodError for anything but a list of commands */
  set(commands: unknown): void {
    const next = COMMANDS.parse(commands);
    if (JSON.stringify(next) === JSON.stringify(this.#commands)) return;
    this.#commands = next;
    this.onChange();
  }

  /** Resolves with the id of the command that the user chooses in a menu; null if none for a while. */
  async next(): Promise<string | null> {
    // A page asks once at a time: an earlier question is of a page that is gone.
    this.#wake?.();
    this.#asked = true;
    if (this.#chosen === null) {
      await new Promise<void>((done) => {
        const timer = setTimeout(done, this.#waitMs);
        timer.unref();
        this.#wake = () => {
          clearTimeout(timer);
          done();
        };
      });
    }
    const chosen = this.#chosen;
    this.#chosen = null;
    return chosen;
  }

  /**
   * Shows an address of the desk without loading its page again, which would lose what was typed. Returns false where no page listens:
   * nobody is signed in.
   */
  open(path: string): boolean {
    if (!this.#asked || this.#commands.length === 0) return false;
    this.#choose(path);
    return true;
  }

  /** Items for a menu, the screen's own commands first. */
  items(which: 'all' | 'page'): MenuItemConstructorOptions[] {
    const item = ({ id, label, keys, isEnabled }: DeskCommand): MenuItemConstructorOptions => {
      const accelerator = acceleratorOf(keys);
      return {
        label: label.replaceAll('&', '&&'),
        enabled: isEnabled,
        // The desk listens to its keys itself; the menu only names them.
        ...(accelerator !== undefined && { accelerator, registerAccelerator: false }),
        click: () => this.#choose(id),
      };
    };
    const ofPage = this.#commands.filter(({ isOfPage }) => isOfPage).map(item);
    if (which === 'page') return ofPage;
    const others = this.#commands.filter(({ isOfPage }) => !isOfPage).map(item);
    return ofPage.length > 0 && others.length > 0
      ? [...ofPage, { type: 'separator' }, ...others]
      : [...ofPage, ...others];
  }

  #choose(id: string): void {
    this.#chosen = id;
    this.#wake?.();
  }
}

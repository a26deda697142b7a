/** Keeps an idle computer awake while devices deliver and, where the user wants it, while they could. */
import { powerMonitor, powerSaveBlocker } from 'electron';
import type { Receiving } from './receiving.ts';

/** A file under way is always finished. Waiting for one costs power, so it needs a wish and mains power. */
export const shouldStayAwake = ({ state }: Receiving, isWanted: boolean, isOnBattery: boolean): boolean =>
  state === 'receiving' || (state === 'ready' && isWanted && !isOnBattery);

/** The screen may still turn off, and a closed lid still sends a notebook to sleep: no program can prevent that everywhere. */
export class Wakefulness {
  readonly #receiving: () => Receiving;
  readonly #isWanted: () => boolean;
  #blocker: number | null = null;

  constructor(receiving: () => Receiving, isWanted: () => boolean) {
    this.#receiving = receiving;
    this.#isWanted = isWanted;
  }

  update(): void {
    const isAwake = shouldStayAwake(this.#receiving(), this.#isWanted(), powerMonitor.onBatteryPower);
    if (isAwake && this.#blocker === null) this.#blocker = powerSaveBlocker.start('prevent-app-suspension');
    if (!isAwake) this.close();
  }

  close(): void {
    if (this.#blocker !== null) powerSaveBlocker.stop(this.#blocker);
    this.#blocker = null;
  }
}

/** Keeps the screen on: Android stops a page behind a dark screen. The lock ends with each hiding of the page and is taken again. */
export class ScreenAwake {
  #lock: WakeLockSentinel | null = null;
  #isHeld = false;

  hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    document.addEventListener('visibilitychange', this.#renew);
    this.#renew();
  }

  release(): void {
    this.#isHeld = false;
    document.removeEventListener('visibilitychange', this.#renew);
    void this.#lock?.release();
    this.#lock = null;
  }

  readonly #renew = (): void => {
    if (document.visibilityState !== 'visible' || !this.#isHeld) return;
    navigator.wakeLock?.request('screen').then(
      (lock) => {
        if (this.#isHeld) this.#lock = lock;
        else void lock.release();
      },
      // Refused in power saving: the screen says to keep the phone awake.
      () => undefined,
    );
  };
}

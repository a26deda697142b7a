/** What a task asks of the phone itself: a screen that stays on, a vibration. Where the browser has neither, nothing happens. */
import { useEffect } from 'react';

/** Keeps the screen on while `isOn`. The browser releases the lock when the page is hidden: it is taken again afterwards. */
export function useScreenOn(isOn: boolean): void {
  useEffect(() => {
    if (!isOn || !('wakeLock' in navigator)) return;
    let lock: WakeLockSentinel | undefined;
    let isOver = false;
    const take = async () => {
      if (document.visibilityState !== 'visible') return;
      try {
        const taken = await navigator.wakeLock.request('screen');
        if (isOver) await taken.release();
        else lock = taken;
      } catch {
        // Refused, for example on a nearly empty battery: the timer counts with the screen off too.
      }
    };
    void take();
    document.addEventListener('visibilitychange', take);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', take);
      void lock?.release();
    };
  }, [isOn]);
}

/** Durations of vibration and pauses in milliseconds. */
export function vibrate(...pattern: number[]): void {
  navigator.vibrate?.(pattern);
}

/** A short tone of 660 Hz, for subjects who asked for sound. */
export function beep(durationMs = 250): void {
  try {
    const context = new AudioContext();
    const tone = context.createOscillator();
    const volume = context.createGain();
    tone.frequency.value = 660;
    volume.gain.value = 0.2;
    tone.connect(volume).connect(context.destination);
    tone.start();
    tone.stop(context.currentTime + durationMs / 1000);
    tone.onended = () => void context.close();
  } catch {
    // No sound here; the countdown is on the screen.
  }
}

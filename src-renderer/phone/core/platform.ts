/** What the browser gives: locks over tabs, storage, installation. Each part may be missing. */
import { alone as runAlone } from '../../shared/sensors/locks.ts';
import type { Reach, StorageState } from '../model.ts';
import type { AppWorker } from '../worker/registration.ts';

const SYNC_LOCK = 'outpost-phone-sync';
const NEARLY_FULL = 0.9;
/** A recording of a night and some pictures. */
const LEAST_FREE_BYTES = 30e6;

/** Runs `work` unless another tab of the app does. */
export const alone = (work: () => Promise<void>): Promise<boolean> => runAlone(work, SYNC_LOCK);

export async function storageState(isFull: boolean): Promise<StorageState> {
  const { storage } = navigator;
  const isPersistent = (await storage?.persisted?.().catch(() => null)) ?? null;
  const { usage: usedBytes, quota: quotaBytes } = (await storage?.estimate?.().catch(() => undefined)) ?? {};
  const sizes = { ...(usedBytes !== undefined && { usedBytes }), ...(quotaBytes !== undefined && { quotaBytes }) };
  const isNearlyFull =
    usedBytes !== undefined &&
    quotaBytes !== undefined &&
    (usedBytes > quotaBytes * NEARLY_FULL || quotaBytes - usedBytes < LEAST_FREE_BYTES);
  return { isPersistent, ...sizes, state: isFull ? 'FULL' : isNearlyFull ? 'NEARLY_FULL' : 'FINE' };
}

export async function askForPersistence(): Promise<void> {
  await navigator.storage?.persist?.().catch(() => false);
}

/** Browsers take a service worker with a trusted certificate only. */
export function reachNow(worker: Pick<AppWorker, 'isTrusted' | 'isReady'>, canInstall: boolean): Reach {
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(location.hostname);
  const isInstalled =
    matchMedia('(display-mode: standalone)').matches || (navigator as { standalone?: boolean }).standalone === true;
  return {
    isSecure: worker.isTrusted || (isLoopback && isSecureContext),
    opensOffline: worker.isReady,
    isInstalled,
    canInstall: canInstall && !isInstalled,
    bluetooth: 'bluetooth' in navigator ? 'YES' : isSecureContext ? 'NOT_IN_THIS_BROWSER' : 'NOT_SECURE',
    canVibrate: 'vibrate' in navigator,
    canKeepScreenOn: 'wakeLock' in navigator,
  };
}

export async function batteryPercent(): Promise<number | undefined> {
  const { getBattery } = navigator as { getBattery?: () => Promise<{ level: number }> };
  if (!getBattery) return undefined;
  return Math.round((await getBattery.call(navigator)).level * 100);
}

/** The browser's offer to install the app, kept until the subject asks for it. */
export class InstallOffer {
  #offer: { prompt(): Promise<unknown> } | undefined;

  constructor(onChange: () => void) {
    addEventListener('beforeinstallprompt', (event) => {
      event.preventDefault();
      this.#offer = event as Event & { prompt(): Promise<unknown> };
      onChange();
    });
    addEventListener('appinstalled', () => {
      this.#offer = undefined;
      onChange();
    });
  }

  get canInstall(): boolean {
    return this.#offer !== undefined;
  }

  async install(): Promise<void> {
    const offer = this.#offer;
    this.#offer = undefined;
    await offer?.prompt();
  }
}

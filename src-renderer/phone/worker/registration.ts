/**
 * The service worker as the page sees it. Browsers refuse it without a certificate that the phone trusts: the app then works while
 * the site is reached, and says so. It caches files of the app alone, which are the same for every subject, so a wipe leaves it
 * in place: a page that unregistered it could not open offline after the next sign-in, and registering again would race its end.
 */
import { whenFree } from './free.ts';

const WORKER = '/phone/sw.js';
const UPDATE_EVERY_MS = 60 * 60_000;
/** A first visit caches the app; a slow phone takes its time. */
const READY_WITHIN_MS = 60_000;

export interface AppWorker {
  /** The browser trusts the certificate: it took the worker. */
  readonly isTrusted: boolean;
  /** The app opens without the network. */
  readonly isReady: boolean;
  /** A newer version is there and waits. */
  readonly updateWaits: boolean;
  /** Starts the newer version; every page of the app loads again as soon as nothing is typed in it. Drafts lie in the database. */
  applyUpdate(): void;
  check(): void;
}

/** @param onChange called whenever one of the states changes */
export function startWorker(onChange: () => void): AppWorker {
  let registration: ServiceWorkerRegistration | undefined;
  let isReady = false;
  let waiting: ServiceWorker | undefined;
  const container = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined;

  const watch = (found: ServiceWorkerRegistration) => {
    registration = found;
    const look = () => {
      // The first worker of all does not wait for anybody.
      waiting = found.active && found.waiting ? found.waiting : undefined;
      isReady = found.active !== null;
      onChange();
    };
    found.addEventListener('updatefound', () => found.installing?.addEventListener('statechange', look));
    found.installing?.addEventListener('statechange', look);
    look();
  };

  const register = async () => {
    if (!container || import.meta.env.DEV) return;
    watch(await container.register(WORKER, { scope: '/phone/', updateViaCache: 'none' }));
    await Promise.race([container.ready, new Promise((resolve) => setTimeout(resolve, READY_WITHIN_MS))]);
    isReady = registration?.active != null;
    onChange();
  };
  // Refused: `isReady` stays false, which the page "About" explains.
  register().catch(() => undefined);

  let isReloading = false;
  let hasController = container?.controller != null;
  container?.addEventListener('controllerchange', () => {
    // The first worker takes over a page that needs no other version.
    const isFirst = !hasController;
    hasController = true;
    if (isFirst || isReloading) return;
    isReloading = true;
    whenFree(() => location.reload());
  });
  setInterval(() => registration?.update().catch(() => undefined), UPDATE_EVERY_MS);

  return {
    get isTrusted() {
      return registration !== undefined;
    },
    get isReady() {
      return isReady;
    },
    get updateWaits() {
      return waiting !== undefined;
    },
    applyUpdate: () => waiting?.postMessage({ type: 'SKIP_WAITING' }),
    check: () => void registration?.update().catch(() => undefined),
  };
}

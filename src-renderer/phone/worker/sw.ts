/**
 * The service worker: keeps the files of the app, so that it opens without the network. It has no part in calls of the API, whose
 * answers are kept by the store alone. A newer version waits until the subject starts it or all pages are closed.
 */
import { cleanupOutdatedCaches, type PrecacheEntry, precacheAndRoute } from 'workbox-precaching';

/** The members used here of a scope that the types of pages do not have. */
interface WorkerScope {
  __WB_MANIFEST: (string | PrecacheEntry)[];
  addEventListener(type: 'message', listener: (event: MessageEvent<{ type?: string } | undefined>) => void): void;
  addEventListener(
    type: 'activate',
    listener: (event: Event & { waitUntil(work: Promise<unknown>): void }) => void,
  ): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
}
declare const self: WorkerScope;

cleanupOutdatedCaches();
// The page stands at the folder itself, whatever follows a question mark. Other addresses below /phone go to the site.
precacheAndRoute(self.__WB_MANIFEST, { ignoreURLParametersMatching: [/./], directoryIndex: '', cleanURLs: false });

self.addEventListener('message', ({ data }) => {
  if (data?.type === 'SKIP_WAITING') void self.skipWaiting();
});
// The page that brought the first worker is kept by it from the start.
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

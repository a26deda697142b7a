import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the nursery of V8, where new objects go, as large as it is now. By default it may grow to 128 MB: an analysis works on typed
 * arrays outside the heap, and the little garbage beside them must not spread so far. The analytics process of a site gets an option
 * for this at its start, which a running command can no longer take.
 */
export const keepNurserySmall = (): void => setFlagsFromString('--semi-space-growth-factor=1');

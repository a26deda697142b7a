/** The endpoints as methods and paths: with their schemas they would be a third of the first screen. */
import type { Plugin } from 'vite';
import { addressesOf } from '../src-server/api/contract/addresses.ts';
import { routes } from '../src-server/api/contract/index.ts';

const ADDRESSES = 'virtual:outpost-addresses';

/** @param isUsed leaves out endpoints that a page never calls */
export const contractAddresses = (isUsed: (path: string) => boolean = () => true): Plugin => ({
  name: 'outpost:contract-addresses',
  resolveId: (id) => (id === ADDRESSES ? `\0${ADDRESSES}` : null),
  load: (id) => {
    if (id !== `\0${ADDRESSES}`) return null;
    const used = Object.entries(addressesOf(routes)).filter(([, { path }]) => isUsed(path));
    return `export const addresses = ${JSON.stringify(Object.fromEntries(used))};`;
  },
});

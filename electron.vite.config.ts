import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Plugin } from 'vite';
import { addressesOf } from './src-server/api/contract/addresses.ts';
import { routes } from './src-server/api/contract/index.ts';

/** Engines that know CSS light-dark(): the tokens are written with it. All of them know ES2023. */
const engines = ['chrome123', 'firefox120', 'safari17.5'];

/**
 * The desk is served over HTTP to any browser, not loaded from files by one Electron: electron-vite's presets of
 * relative paths, one engine and no minifying do not fit. They are set in a hook of its own, so a later hook unsets them.
 */
const servedDesk: Plugin = {
  name: 'outpost:served-desk',
  config: (config) => {
    // The site serves the desk at its root, and addresses of screens have several parts: paths must not be relative.
    config.base = '/';
    config.build = { ...config.build, target: 'es2023', cssTarget: engines, minify: true };
  },
};

const ADDRESSES = 'virtual:outpost-addresses';

/** The endpoints as methods and paths: with their schemas they would be a third of the first screen. */
const contractAddresses: Plugin = {
  name: 'outpost:contract-addresses',
  resolveId: (id) => (id === ADDRESSES ? `\0${ADDRESSES}` : null),
  load: (id) => (id === `\0${ADDRESSES}` ? `export const addresses = ${JSON.stringify(addressesOf(routes))};` : null),
};

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      target: 'node24',
      minify: false,
      rolldownOptions: {
        input: {
          index: 'src-main/index.ts',
          analytics: 'src-server/jobs/analytics/entry.ts',
          worker: 'src-server/jobs/workers/entry.ts',
          demo: 'src-server/cli/demo/process.ts',
          simulate: 'src-server/cli/demo/simulate.ts',
        },
      },
    },
  },
  preload: {
    build: {
      outDir: 'out/preload',
      minify: false,
      rolldownOptions: {
        input: { preload: 'src-main/preload.ts' },
        // A sandboxed preload must be CommonJS.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: 'src-renderer/investigator',
    plugins: [react(), contractAddresses, servedDesk],
    build: {
      outDir: 'out/renderer',
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: 'src-renderer/investigator/index.html' },
    },
  },
});

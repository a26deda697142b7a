import optimizeLocales from '@react-aria/optimize-locales-plugin';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Plugin, Rolldown } from 'vite';
import { compressAssets } from './scripts/compress-assets.ts';
import { contractAddresses } from './scripts/contract-addresses-plugin.ts';
import { headStart } from './scripts/head-start-plugin.ts';

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

const RENDERER_DIR = 'out/renderer';

/** Compresses the built files once, at the highest level, instead of at each request. */
const compressedDesk: Plugin = {
  name: 'outpost:compressed-desk',
  apply: 'build',
  closeBundle: async () => await compressAssets(RENDERER_DIR),
};

/** The languages of the desk: the components' own texts in thirty others would be a third of some screens. */
const componentTexts = optimizeLocales.vite({ locales: ['en-US', 'ja-JP'] });

/**
 * Few files: a browser that was never here spends more time on asking for fifty small ones than on reading them. What
 * the frame needs is one; what screens share is grouped by the screens that do, the small groups joined to their next.
 */
const codeSplitting: Rolldown.OutputOptions['codeSplitting'] = {
  groups: [
    // The page and its script stay what starts the rest.
    { name: 'frame', tags: ['$initial'], test: (id) => !/index\.html|main\.tsx$/.test(id), priority: 2 },
    // Of the first screen; joined to the tables, it would bring all of their code along.
    { name: 'list', test: /\/kit\/frozen-list\.ts$/, priority: 3 },
    { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 2_000, priority: 1 },
  ],
};

/** The desk says hello like a device, to learn the id of the site; all else below these paths is for devices alone. */
const isCalledByDesk = (path: string) => path === '/device/hello' || !/^\/(phone|device)\//.test(path);

/** The site's usual port, or the one that `npm run dev -- --port` names. */
const sitePort = process.env.OUTPOST_PORT ?? '8480';
const fromSite = { target: `http://127.0.0.1:${sitePort}`, changeOrigin: true };

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
          cli: 'src-server/cli/main.ts',
        },
        // Beside the entries, which a chunk names relative to itself: the entries of other processes, the preload, the desk.
        output: { chunkFileNames: '[name]-[hash].js' },
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
    server: { host: '127.0.0.1', proxy: { '/api': fromSite, '/v1': fromSite, '/docs': fromSite } },
    plugins: [react(), contractAddresses(isCalledByDesk), componentTexts, servedDesk, headStart(), compressedDesk],
    build: {
      outDir: RENDERER_DIR,
      sourcemap: true,
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      // The frame is one file on purpose; a test holds its compressed size.
      chunkSizeWarningLimit: 700,
      rolldownOptions: {
        input: 'src-renderer/investigator/index.html',
        output: { codeSplitting, chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js` },
      },
    },
  },
});

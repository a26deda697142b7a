/**
 * The app of subjects' phones: an entry of its own, so that a phone loads nothing of the desk. It is served by the site at
 * `/phone/`; the development server forwards the API to the site at its usual port, or at OUTPOST_PORT.
 */
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { compressAssets } from './scripts/compress-assets.ts';
import { contractAddresses } from './scripts/contract-addresses-plugin.ts';
import { VERSION } from './src-server/version.ts';

const root = fileURLToPath(new URL('src-renderer/phone/', import.meta.url));
const outDir = fileURLToPath(new URL('out/phone/', import.meta.url));

/** Engines that know CSS light-dark(): the tokens are written with it. All of them know ES2023. */
const engines = ['chrome123', 'firefox120', 'safari17.5'];

const compressed: Plugin = {
  name: 'outpost:compressed-phone',
  apply: 'build',
  enforce: 'post',
  closeBundle: { order: 'post', sequential: true, handler: async () => await compressAssets(outDir) },
};

/** Keeps all files of the app on the phone. The page is known by the address of its folder: the site has no other for it. */
const serviceWorker = VitePWA({
  strategies: 'injectManifest',
  srcDir: 'worker',
  filename: 'sw.ts',
  outDir,
  injectRegister: false,
  manifest: false,
  injectManifest: {
    globPatterns: ['**/*.{js,css,html,png,svg,webmanifest}'],
    manifestTransforms: [
      (entries) => ({
        manifest: entries.map((entry) => ({ ...entry, url: entry.url === 'index.html' ? '/phone/' : entry.url })),
        warnings: [],
      }),
    ],
    // Their names are made of their content.
    dontCacheBustURLsMatching: /^assets\//,
    rollupFormat: 'iife',
    sourcemap: false,
  },
});

/** Mode of a test that only measures: it leaves the folder of the build alone. */
const MEASURE = 'measure';

export default defineConfig(({ mode }) => ({
  root,
  base: '/phone/',
  server: {
    host: '127.0.0.1',
    port: 5174,
    proxy: { '/api': { target: `http://127.0.0.1:${process.env.OUTPOST_PORT ?? '8480'}`, changeOrigin: true } },
  },
  define: { 'import.meta.env.OUTPOST_VERSION': JSON.stringify(VERSION) },
  plugins: [
    react(),
    contractAddresses((path) => /^\/(phone|device)\//.test(path)),
    ...(mode === MEASURE ? [] : [serviceWorker, compressed]),
  ],
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: engines,
    sourcemap: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Few files: on a phone each costs more than the bytes that it might save.
        codeSplitting: {
          groups: [{ name: 'frame', tags: ['$initial'], test: (id) => !/index\.html|main\.tsx$/.test(id) }],
        },
      },
    },
  },
}));

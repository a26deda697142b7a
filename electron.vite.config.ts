import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

/** Engines that know CSS light-dark(): the tokens are written with it. */
const engines = ['chrome123', 'firefox120', 'safari17.5'];

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
    // The site serves the desk at its root, and addresses of screens have several parts: paths must not be relative.
    base: '/',
    plugins: [react()],
    build: {
      outDir: 'out/renderer',
      emptyOutDir: true,
      target: engines,
      cssTarget: engines,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: 'src-renderer/investigator/index.html' },
    },
  },
});

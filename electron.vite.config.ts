import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

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
    plugins: [react()],
    build: {
      outDir: 'out/renderer',
      emptyOutDir: true,
      rolldownOptions: { input: 'src-renderer/investigator/index.html' },
    },
  },
});

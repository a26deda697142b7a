/** The builds of the desktop app. The desk (renderer) is also what a headless site serves to browsers. */
import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';

const root = import.meta.dirname;

/** Engines that know CSS light-dark(): the tokens are written with it. */
const engines = ['chrome123', 'firefox120', 'safari17.5'];

export default defineConfig({
  renderer: {
    root: resolve(root, 'src-renderer/investigator'),
    base: '/',
    plugins: [react()],
    build: {
      outDir: resolve(root, 'out/renderer'),
      emptyOutDir: true,
      target: engines,
      cssTarget: engines,
      modulePreload: { polyfill: false },
      rollupOptions: { input: resolve(root, 'src-renderer/investigator/index.html') },
    },
  },
});

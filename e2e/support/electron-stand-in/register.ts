/** Loaded with `node --import`: from then on `electron` means the stand-in in this folder. */
import { registerHooks } from 'node:module';

const standIn = new URL('./index.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === 'electron' ? { url: standIn, shortCircuit: true } : nextResolve(specifier, context),
});

#!/usr/bin/env node
/**
 * Entry of the `outpost` command. Scripts start it often, so it loads nothing before it knows what is asked: the compile cache
 * holds the modules without their types and compiled, and the version alone needs no argument parser.
 */
import module from 'node:module';
import { join } from 'node:path';

// Beside the other build output: anyone who can write there can change the program too. Without write access Node runs uncached.
module.enableCompileCache(join(import.meta.dirname, '../../out/compile-cache'));

const [asked, ...others] = process.argv.slice(2);
if ((asked === '--version' || asked === '-V') && others.length === 0) {
  const { VERSION } = await import('../version.ts');
  process.stdout.write(`${VERSION}\n`);
} else await import('./program.ts');

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Site tests start many processes from the sources: with a compile cache each of them strips and compiles only what has changed.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('./out/compile-cache', import.meta.url));

export default defineConfig({
  test: {
    pool: 'forks',
    // Vitest leaves one core free by default; on two cores that halves the speed.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src-*/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
          exclude: ['**/*.site.test.ts', '**/*.mocked.test.ts'],
          // Unit tests are pure: sharing modules between their files halves the processor time.
          isolate: false,
        },
      },
      // A module that another file of the same process has loaded can no longer be replaced.
      { extends: true, test: { name: 'mocked', include: ['src-*/**/*.mocked.test.ts'] } },
      {
        extends: true,
        test: { name: 'site', include: ['src-*/**/*.site.test.ts'], testTimeout: 120_000, hookTimeout: 60_000 },
      },
    ],
  },
});

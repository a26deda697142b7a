import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src-*/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts'],
          exclude: ['**/*.site.test.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'site', include: ['src-*/**/*.site.test.ts'], testTimeout: 120_000, hookTimeout: 60_000 },
      },
    ],
  },
});

import { fileURLToPath } from 'node:url';
import { defineConfig, devices } from '@playwright/test';
import { CHROMIUM_FLAGS, findChromium } from './e2e/support/chromium.ts';

// Each served site is a process that starts from the sources: with a compile cache it strips and compiles only what has changed.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('./out/compile-cache', import.meta.url));

const executablePath = findChromium();

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  globalSetup: './e2e/support/global-setup.ts',
  timeout: 60_000,
  // A run that hangs ends with what it knows; the slowest so far took 18 minutes.
  globalTimeout: 45 * 60_000,
  expect: { timeout: 10_000 },
  workers: 2,
  fullyParallel: false,
  forbidOnly: true,
  reporter: [['list']],
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    // A control that never comes ends a long flow after a minute, not at its own limit of ten.
    actionTimeout: 60_000,
    launchOptions: { executablePath, args: CHROMIUM_FLAGS },
    // The gate keeps no files, and recording each flow takes its time.
    trace: process.env.CI ? 'off' : 'retain-on-failure',
  },
  projects: [
    { name: 'browser', testMatch: 'browser/**/*.spec.ts' },
    { name: 'phone', testMatch: 'phone/**/*.spec.ts' },
    { name: 'desktop', testMatch: 'desktop/**/*.spec.ts' },
  ],
});

import { fileURLToPath } from 'node:url';
import { utilityProcess } from 'electron';
import type { FromAnalytics } from '../src-server/jobs/analytics/contract.ts';
import {
  ANALYTICS_ENGINE_OPTIONS,
  analyticsEnvironment,
  type ForkProcess,
} from '../src-server/jobs/analytics/supervisor.ts';

/**
 * Forks the analytics process as an Electron utility process, which has its own name in the task list and can crash without
 * affecting the window.
 */
export const forkUtilityProcess: ForkProcess = (entry) => {
  const child = utilityProcess.fork(fileURLToPath(entry), [], {
    serviceName: 'Outpost analytics',
    execArgv: [...ANALYTICS_ENGINE_OPTIONS],
    env: analyticsEnvironment(),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let running = true;
  child.on('exit', () => {
    running = false;
  });
  return {
    send: (message) => {
      if (running) child.postMessage(message);
    },
    onMessage: (listener) => void child.on('message', (message: FromAnalytics) => listener(message)),
    onExit: (listener) => void child.on('exit', (code) => listener(`ended with code ${code}`)),
    kill: () => void child.kill(),
    get pid() {
      return child.pid;
    },
  };
};

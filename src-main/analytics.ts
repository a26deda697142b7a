/**
 * Entry of the analytics process under Electron: gives the process the channel that it knows from Node's
 * `child_process`, then runs the very entry that a headless site forks.
 */
const { parentPort } = process;

process.send = (message: unknown): boolean => {
  parentPort.postMessage(message);
  return true;
};
parentPort.on('message', ({ data }) => process.emit('message', data, undefined));

await import('../src-server/jobs/analytics/entry.ts');

import { expect, test } from 'vitest';
import { fileArguments, launchOptions } from './launch-options.ts';

test('prefers the command line, then the environment, the last folder and the default folder', () => {
  const argv = ['--no-sandbox', '--data', '/srv/a', '--port=9000', '--inspect=0'];
  const env = { OUTPOST_DATA: '/srv/b', OUTPOST_PORT: '9001' };
  expect(launchOptions(argv, env, '/srv/c', '/home/x')).toEqual({ siteDir: '/srv/a', port: 9000 });
  expect(launchOptions([], env, '/srv/c', '/home/x')).toEqual({ siteDir: '/srv/b', port: 9001 });
  expect(launchOptions([], {}, '/srv/c', '/home/x')).toEqual({ siteDir: '/srv/c', port: 8480 });
  expect(launchOptions(['.'], {}, undefined, '/home/x')).toEqual({ siteDir: '/home/x/site', port: 8480 });
});

test('falls back to the default port for an invalid one', () => {
  expect(launchOptions(['--port', 'many'], {}, undefined, '/home/x').port).toBe(8480);
  expect(launchOptions(['--port', '70000'], {}, undefined, '/home/x').port).toBe(8480);
  expect(launchOptions(['--port', '0'], {}, undefined, '/home/x').port).toBe(0);
});

test('sets a device port only when one is given', () => {
  expect(launchOptions([], {}, '/srv/c', '/home/x')).not.toHaveProperty('lanPort');
  expect(launchOptions([], { OUTPOST_LAN_PORT: '0' }, '/srv/c', '/home/x').lanPort).toBe(0);
  expect(launchOptions(['--lan-port', '9443'], { OUTPOST_LAN_PORT: '0' }, '/srv/c', '/home/x').lanPort).toBe(9443);
});

test('takes for files what is neither a switch nor the value of one', () => {
  const argv = ['--data', '/srv/a', '--no-sandbox', 'night one.edf', '--port=0', '/mnt/usb/夜.zip'];
  expect(fileArguments(argv)).toEqual(['night one.edf', '/mnt/usb/夜.zip']);
});

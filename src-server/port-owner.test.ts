import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { lsofOwner, netstatOwner, portFailure, portOwner } from './port-owner.ts';
import { listenOnLoopback } from './site/http-server.ts';

describe('the program that has a port', () => {
  it.runIf(process.platform === 'linux')('is named with what to do', async () => {
    const script = `const s = require('net').createServer().listen(0, '127.0.0.1', () => console.log(s.address().port));`;
    const other = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = (await once(createInterface({ input: other.stdout }), 'line')) as [string];
      const port = Number(line);
      expect(await portOwner(port)).toMatchObject({ pid: other.pid, name: expect.stringMatching(/^node/) });
      await expect(listenOnLoopback(createServer(), port)).rejects.toMatchObject({
        code: 'PORT_TAKEN',
        details: { port, pid: other.pid },
        message: expect.stringMatching(
          new RegExp(`^Port ${port} cannot be used: .* \\(process ${other.pid}\\) has it\\. .*--port`),
        ),
      });
    } finally {
      other.kill('SIGKILL');
      await once(other, 'exit');
    }
    expect(await portOwner(Number(1))).toBeUndefined();
  });

  it('is read from what Windows and macOS print', () => {
    const netstat = [
      '  Proto  Lokale Adresse         Remoteadresse          Status           PID',
      '  TCP    127.0.0.1:84801        0.0.0.0:0              ABHÖREN          1',
      '  TCP    127.0.0.1:8480         127.0.0.1:50123        HERGESTELLT      2',
      '  TCP    127.0.0.1:8480         0.0.0.0:0              ABHÖREN          4711',
    ].join('\r\n');
    expect(netstatOwner(netstat, 8480)).toBe(4711);
    expect(netstatOwner(netstat, 8481)).toBeUndefined();
    expect(lsofOwner('p815\ncnginx\nf6\n')).toEqual({ pid: 815, name: 'nginx' });
    expect(lsofOwner('')).toBeUndefined();
  });
});

describe('a port', () => {
  it('that this account may not use is not taken by another program', async () => {
    const thrown = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });
    const error = await portFailure(thrown, { port: 80, advice: 'choose another port with --port' });
    expect(error).toMatchObject({ code: 'PORT_TAKEN', message: expect.stringMatching(/may not listen.*1024.*--port/) });
    const other = Object.assign(new Error('listen EADDRNOTAVAIL'), { code: 'EADDRNOTAVAIL' });
    expect(await portFailure(other, { port: 80, advice: '' })).toBe(other);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

/** Runs `endAfter` in a process of its own, and returns how that ended. */
async function run(script: string): Promise<{ code: number | null; said: string }> {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', `import { endAfter } from './signals.ts';\n${script}`],
    { cwd: import.meta.dirname, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return {
    code,
    said: said
      .split('\n')
      .filter((line) => line.startsWith('Clos'))
      .join('\n'),
  };
}

describe('the end of a program that serves', () => {
  it('comes on its own where nothing is left open', async () => {
    expect(await run('await endAfter(async () => {});')).toEqual({ code: 0, said: '' });
  });

  it('comes also where something is left open, which is named', async () => {
    const left = "import { createServer } from 'node:net'; createServer().listen(0, '127.0.0.1');";
    const { code, said } = await run(`${left} await endAfter(async () => {}, { heldMs: 50 });`);
    expect([code, said]).toEqual([0, expect.stringMatching(/^Closed\. Still open, .*TCPServerWrap/)]);
  });

  it('comes with a failure where closing does not end', async () => {
    const { code, said } = await run('await endAfter(() => new Promise(() => {}), { longestMs: 50 });');
    expect([code, said]).toEqual([1, expect.stringContaining('Closing took longer than 0.05 s')]);
  });
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FairTurns } from './fair-turns.ts';

function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

it('runs timers between many concurrent requests', async () => {
  const turns = new FairTurns();
  const order: (number | 'timer')[] = [];
  const requests = Array.from({ length: 12 }, async (_, i) => {
    await turns.wait();
    work(2);
    order.push(i);
  });
  setTimeout(() => order.push('timer'), 0);
  await Promise.all(requests);
  expect(order.filter((one) => one !== 'timer')).toEqual([...Array(12).keys()]);
  expect(order.indexOf('timer')).toBeLessThan(10);
});

it('never delays a single request or one after an idle period', async () => {
  const turns = new FairTurns();
  expect(turns.wait()).toBeUndefined();
  work(6);
  const second = turns.wait();
  expect(second).toBeInstanceOf(Promise);
  await second;
  for (let i = 0; i < 5; i++) await nextTurn();
  expect(turns.wait()).toBeUndefined();
});

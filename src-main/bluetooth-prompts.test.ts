import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BluetoothPrompts } from './bluetooth-prompts.ts';

const STRAP = { deviceId: 'a1', deviceName: 'Polar H10 ABCD1234' };
const OTHER = { deviceId: 'b2', deviceName: 'Movesense 000123' };

let prompts: BluetoothPrompts;
const page = {};

beforeEach(() => {
  vi.useFakeTimers();
  prompts = new BluetoothPrompts();
});
afterEach(() => {
  vi.useRealTimers();
});

const shown = async () => (await prompts.next(null)).prompt;
const idShown = async () => (await shown())?.id;

test('shows a list that grows, and gives the chosen device to the newest callback only', async () => {
  const first = vi.fn();
  const second = vi.fn();
  const { version } = await prompts.next(null);
  const waiting = prompts.next(version);
  prompts.offer(page, [], first);
  const { prompt } = await waiting;
  expect(prompt).toEqual({ id: expect.any(String), kind: 'choose', devices: [] });
  prompts.offer(page, [STRAP], first);
  prompts.offer(page, [STRAP, OTHER], second);
  expect(await shown()).toEqual({
    ...prompt,
    devices: [
      { deviceId: 'a1', name: STRAP.deviceName },
      { deviceId: 'b2', name: OTHER.deviceName },
    ],
  });
  prompts.answer(prompt?.id, 'b2');
  expect(first).not.toHaveBeenCalled();
  expect(second.mock.calls).toEqual([['b2']]);
  expect(await shown()).toBeNull();
  prompts.answer(prompt?.id, 'a1');
  expect(second).toHaveBeenCalledOnce();
});

test('cancels the first request when a page asks again, and takes no late answer for the second', async () => {
  const first = vi.fn();
  const second = vi.fn();
  const elsewhere = vi.fn();
  prompts.offer(page, [STRAP], first);
  const before = await idShown();
  prompts.offer(page, [], second);
  expect(first.mock.calls).toEqual([['']]);
  expect(await idShown()).not.toBe(before);
  prompts.answer(before, 'a1');
  expect(second).not.toHaveBeenCalled();
  prompts.offer({}, [], elsewhere);
  expect(second.mock.calls).toEqual([['']]);
});

test('cancels when nothing of the list is chosen, when the page leaves, and after three minutes', async () => {
  for (const value of ['zz', '', null, 5, { deviceId: 'a1' }]) {
    const choose = vi.fn();
    prompts.offer(page, [STRAP], choose);
    prompts.answer(await idShown(), value);
    expect(choose.mock.calls, String(value)).toEqual([['']]);
  }
  const left = vi.fn();
  prompts.offer(page, [STRAP], left);
  prompts.leave({});
  expect(left).not.toHaveBeenCalled();
  prompts.leave(page);
  expect(left.mock.calls).toEqual([['']]);
  const late = vi.fn();
  prompts.offer(page, [STRAP], late);
  vi.advanceTimersByTime(100_000);
  // A repeat is no new request: the time runs on.
  prompts.offer(page, [STRAP, OTHER], late);
  vi.advanceTimersByTime(81_000);
  expect(late.mock.calls).toEqual([['']]);
  expect(await shown()).toBeNull();
});

test('shows names without letters that direct or hide text, and cut', async () => {
  prompts.offer(page, [{ deviceId: 'a1', deviceName: `A\u202e\n\u0007B${'x'.repeat(300)}` }], vi.fn());
  expect(await shown()).toMatchObject({ devices: [{ name: `AB${'x'.repeat(300)}`.slice(0, 100) }] });
});

const chooseStrap = async () => {
  prompts.offer(page, [STRAP], vi.fn());
  prompts.answer(await idShown(), 'a1');
};

test('pairs only a device that the user chose for the page that is there', async () => {
  const refuse = vi.fn();
  prompts.pair({ deviceId: 'a1', pairingKind: 'confirm' }, refuse);
  await chooseStrap();
  prompts.pair({ deviceId: 'b2', pairingKind: 'confirm' }, refuse);
  prompts.leave(page);
  prompts.pair({ deviceId: 'a1', pairingKind: 'confirm' }, refuse);
  expect(refuse.mock.calls).toEqual([[{ confirmed: false }], [{ confirmed: false }], [{ confirmed: false }]]);
  expect(await shown()).toBeNull();

  await chooseStrap();
  for (const deviceId of [STRAP.deviceId, STRAP.deviceName]) {
    const answer = vi.fn();
    prompts.pair({ deviceId, pairingKind: 'confirmPin', pin: '123456' }, answer);
    expect(await shown()).toEqual({
      id: expect.any(String),
      kind: 'pair',
      pairing: 'confirmPin',
      deviceName: STRAP.deviceName,
      pin: '123456',
    });
    expect(answer).not.toHaveBeenCalled();
    prompts.answer(await idShown(), '');
    expect(answer.mock.calls).toEqual([[{ confirmed: true }]]);
  }
});

test('hands over a typed PIN, and refuses to pair without one, after a refusal and after a minute', async () => {
  await chooseStrap();
  const outcomeOf = async (value: unknown) => {
    const answer = vi.fn();
    prompts.pair({ deviceId: 'a1', pairingKind: 'providePin' }, answer);
    prompts.answer(await idShown(), value);
    expect(answer).toHaveBeenCalledOnce();
    return answer.mock.calls[0]?.[0];
  };
  expect(await outcomeOf('0042')).toEqual({ confirmed: true, pin: '0042' });
  for (const value of ['', '12 34', '1'.repeat(17), null, 42])
    expect(await outcomeOf(value)).toEqual({ confirmed: false });
  const late = vi.fn();
  prompts.pair({ deviceId: 'a1', pairingKind: 'confirm' }, late);
  vi.advanceTimersByTime(61_000);
  expect(late.mock.calls).toEqual([[{ confirmed: false }]]);
});

import { expect, it } from 'vitest';
import { LoginThrottle } from './login-throttle.ts';

const HOME = '192.0.2.50';
const PERSON = 'person@example.org';
const VICTIM = 'victim@example.org';

function setUp() {
  let passedMs = 0;
  const throttle = new LoginThrottle(() => passedMs);
  const fail = (address: string, name: string) => {
    try {
      return throttle.begin(address, name).refusal ? 'refused' : 'checked';
    } catch {
      return 'throttled';
    }
  };
  return { throttle, fail, pass: (ms: number) => (passedMs += ms) };
}

const networks = (count: number) => Array.from({ length: count }, (_, i) => `192.0.2.${i + 100}`);
const addresses = (count: number) => Array.from({ length: count }, (_, i) => `2001:db8::${(i + 1).toString(16)}`);

it('counts five wrong passwords for one person from one network, however many addresses it has', () => {
  const { fail, pass } = setUp();
  expect(addresses(6).map((address) => fail(address, VICTIM))).toEqual([...Array(5).fill('checked'), 'throttled']);
  pass(60_000);
  expect(fail('2001:db8::99', VICTIM)).toBe('checked');
});

it('wrong passwords from others in the network keep nobody with the right one out', () => {
  const { throttle, fail } = setUp();
  for (let i = 0; i < 20; i++) expect(fail(`2001:db8::${i + 1}`, `user${i}@example.org`)).toBe('checked');
  // A wrong answer reveals no more than that there were too many; a right one counts.
  expect(fail('2001:db8::aa', 'other@example.org')).toBe('refused');
  throttle.begin('2001:db8::bb', PERSON).succeed();
});

it('wrong passwords from others, in one network and in many, do not stop a person at a known place', () => {
  const { throttle, fail } = setUp();
  throttle.begin('2001:db8::aa', VICTIM).succeed();
  throttle.begin(HOME, VICTIM).succeed();
  for (const address of addresses(10)) fail(address, VICTIM);
  for (let i = 0; i < 200; i++) fail(`2001:db8::${i + 1}`, `user${i}@example.org`);
  for (const address of networks(50)) for (let i = 0; i < 5; i++) fail(address, VICTIM);
  expect(fail('192.0.2.99', VICTIM)).toBe('throttled');
  for (const address of ['2001:db8::aa', HOME]) {
    const attempt = throttle.begin(address, VICTIM);
    expect(attempt.refusal).toBeUndefined();
    attempt.succeed();
  }
});

it('wrong passwords on the network do not stop the person at the computer of the site', () => {
  const { throttle, fail } = setUp();
  for (const address of networks(50)) for (let i = 0; i < 5; i++) fail(address, VICTIM);
  expect(throttle.begin('127.0.0.1', VICTIM).refusal).toBeUndefined();
  expect(throttle.begin('::1', VICTIM).refusal).toBeUndefined();
});

it('a known place does not allow guessing', () => {
  const { throttle, fail } = setUp();
  throttle.begin(HOME, PERSON).succeed();
  expect(Array.from({ length: 6 }, () => fail(HOME, PERSON))).toEqual([...Array(5).fill('checked'), 'throttled']);
});

it('bounds the passwords that are checked for one network', () => {
  const { fail } = setUp();
  const answers = Array.from({ length: 300 }, (_, i) => fail(HOME, `user${i}@example.org`));
  expect(answers.filter((answer) => answer !== 'throttled')).toHaveLength(120);
});

/** `outpost simulate phone`: a simulated phone of a subject or of the clinic, for demos and tests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { OutpostError } from '../../errors.ts';
import { BackOff } from '../../phone-protocol/back-off.ts';
import type { Outcome } from '../../phone-protocol/batch.ts';
import { isSignInLink } from '../../phone-protocol/sign-in-link.ts';
import { FaultPlan } from '../../simulator/device/fault-plan.ts';
import { doneJustNow } from '../../simulator/phone/answers.ts';
import { type PhoneToday, SimulatedPhone } from '../../simulator/phone/phone.ts';
import { Random } from '../../simulator/physiology/random.ts';
import { answer, say } from '../output.ts';
import { asOutpostError, type DeviceCommand, deviceFolder, faultsOf, inWords, pairing, stopSignal } from './device.ts';

interface PhoneCommand extends DeviceCommand {
  token?: string;
  fingerprint?: string;
  tasks: boolean;
  message: string[];
  battery: number;
  seed: number;
  every: number;
}

export async function simulatePhone(options: PhoneCommand): Promise<undefined> {
  const faults = faultsOf(options.fault);
  let clockAheadMs = faults.clockAheadMs;
  const clock = () => Date.now() + clockAheadMs;
  const plan = new FaultPlan(faults);
  const phone = await SimulatedPhone.open({
    folder: deviceFolder(options, 'phone'),
    serial: options.serial,
    clock,
    disturb: ({ path, sizeBytes }) => plan.disturb({ recordingId: path, offset: 0, sizeBytes }),
  });
  const signal = stopSignal();
  const setClock = (aheadMs: number) => {
    say(`The clock was off by ${Math.round(aheadMs / 1000)} s and has been set.`);
    clockAheadMs += aheadMs;
    return true;
  };
  try {
    if (!phone.isSignedIn) await enter(phone, options, setClock);
    for (const body of options.message) await phone.write(body);
    const random = new Random(options.seed);
    const outcomes: Outcome[] = [];
    let today: PhoneToday;
    for (;;) {
      today = await phone.today();
      if (options.tasks) await doTasks(phone, today, clock, random);
      const some = await phone.syncAll({
        backOff: new BackOff(),
        signal,
        onTrouble: (problem, waitMs) => say(`${inWords(problem)} Retrying in ${(waitMs / 1000).toFixed(1)} s.`),
      });
      for (const outcome of some) report(outcome);
      outcomes.push(...some);
      await phone.contact(options.battery);
      await readMessages(phone);
      if (options.once) break;
      await sleep(options.every * 1000, undefined, { signal });
    }
    today = await phone.today();
    const done = today.tasks.filter(({ completed }) => completed).length;
    if (options.json) {
      const { date, timezone, tasks } = today;
      answer({ siteId: phone.site?.siteId, today: { date, timezone, tasks }, outcomes, waiting: phone.waiting });
    } else answer(`${outcomes.length} sent, ${done} of ${today.tasks.length} tasks of ${today.date} completed.`);
  } catch (thrown) {
    if (!signal.aborted) throw asOutpostError(thrown);
  } finally {
    phone.close();
  }
  return undefined;
}

/** Signs in with a subject's token, or pairs as equipment of the clinic. */
async function enter(
  phone: SimulatedPhone,
  options: PhoneCommand,
  onWrongClock: (aheadMs: number) => boolean,
): Promise<void> {
  const { link, site, token, fingerprint } = options;
  if (link !== undefined && isSignInLink(link)) {
    await phone.signInByLink(link).catch((thrown: unknown) => {
      throw thrown instanceof Error && thrown.constructor === Error
        ? new OutpostError('INVALID_INPUT', thrown.message)
        : thrown;
    });
  } else if (token !== undefined) {
    if (site === undefined)
      throw new OutpostError('INVALID_INPUT', '--token requires --site, the address of the site.');
    await phone.signIn(site, token, fingerprint?.toLowerCase());
  } else {
    await phone.pair(pairing(options), {
      onCheckCode: (code) => say(`Check code ${code}: compare it with the desk and confirm there.`),
      onWrongClock,
    });
  }
  say(`Signed in at ${phone.site?.siteName}.`);
}

/** Completes every task of the day that is neither completed nor waiting to be sent. */
async function doTasks(phone: SimulatedPhone, today: PhoneToday, clock: () => number, random: Random): Promise<void> {
  const waiting = new Set(phone.waitingTaskIds);
  const due = today.tasks.filter(({ taskId, completed }) => !completed && !waiting.has(taskId));
  if (due.length === 0) return;
  const tasks = new Map((await phone.tasks()).map((task) => [task.id, task]));
  for (const { taskId, displayName, window } of due) {
    const task = tasks.get(taskId);
    if (!task) continue;
    say(`Doing ${displayName}.`);
    await phone.report(doneJustNow(task, { nowMs: clock(), random, ...(window && { intendedTs: window.startTs }) }));
  }
}

async function readMessages(phone: SimulatedPhone): Promise<void> {
  const unread = (await phone.messages()).filter(({ from, isRead }) => from === 'TEAM' && !isRead);
  for (const { body } of unread) say(`Message from the team: ${body}`);
  if (unread.length === 0) return;
  await phone.markRead(unread.map(({ id }) => id));
  await phone.sync();
}

function report({ id, state, code, message }: Outcome): void {
  say(state === 'REFUSED' ? `${id}: refused, ${code}: ${message}` : `${id}: ${state}`);
}

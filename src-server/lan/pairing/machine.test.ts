import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../errors.ts';
import {
  hasEnded,
  PAIRING_EVENTS,
  PAIRING_PROBLEMS,
  PAIRING_STATES,
  PAIRING_TABLE,
  type PairingEvent,
  type PairingState,
} from './machine.ts';

const cells = PAIRING_STATES.flatMap((state) =>
  PAIRING_EVENTS.map((event) => ({ state, event, cell: PAIRING_TABLE[state][event] })),
);
const moves = cells.flatMap(({ state, event, cell }) => (typeof cell === 'string' ? [{ state, event, to: cell }] : []));

/** Returns all states that are reachable by some sequence of events. */
function reachable(from: PairingState, without: PairingEvent[] = []): Set<PairingState> {
  const seen = new Set<PairingState>([from]);
  for (const state of seen) {
    for (const move of moves) if (move.state === state && !without.includes(move.event)) seen.add(move.to);
  }
  return seen;
}

describe('the table of a pairing', () => {
  it('answers every event in every state, with a known state or a known problem', () => {
    expect(cells).toHaveLength(PAIRING_STATES.length * PAIRING_EVENTS.length);
    for (const { state, event, cell } of cells) {
      const at = `${state} ${event}`;
      if (typeof cell === 'string') expect(PAIRING_STATES, at).toContain(cell);
      else expect(ERROR_CODES, at).toHaveProperty(PAIRING_PROBLEMS[cell.problem].code);
    }
  });

  it('reaches every state from the offer, and leaves no end', () => {
    expect([...reachable('OFFERED')].sort()).toEqual([...PAIRING_STATES].sort());
    for (const { state, to } of moves) if (hasEnded(state)) expect(to).toBe(state);
    for (const state of PAIRING_STATES) expect([...reachable(state)].some(hasEnded), state).toBe(true);
  });

  it('gives a credential only after a call, a reveal and a confirmation by the desk, in that order', () => {
    for (const events of [['call', 'scan'], ['reveal'], ['confirm']] as const) {
      const [event] = events;
      const without = reachable('OFFERED', [...events]);
      expect(without, event).not.toContain('CONFIRMED');
      expect(without, event).not.toContain('COMPLETE');
    }
    const into = (to: PairingState) => moves.filter((move) => move.to === to && move.state !== to);
    expect(into('CONFIRMED')).toEqual([{ state: 'COMPARING', event: 'confirm', to: 'CONFIRMED' }]);
    expect(into('COMPLETE')).toEqual([{ state: 'CONFIRMED', event: 'acknowledge', to: 'COMPLETE' }]);
  });

  it('lets one device in only: a second call is refused in every state but the first', () => {
    for (const state of PAIRING_STATES) {
      const { call, scan } = PAIRING_TABLE[state];
      expect(typeof call === 'string', state).toBe(state === 'OFFERED');
      // Wrong typed codes do not close the QR code.
      expect(typeof scan === 'string', state).toBe(state === 'OFFERED' || state === 'LOCKED');
    }
  });

  it('tells a device why, with a code of its own for each end', () => {
    const ends = PAIRING_STATES.filter(hasEnded);
    const codes = ends.map((state) => {
      const cell = PAIRING_TABLE[state].collect;
      return typeof cell === 'string' ? cell : PAIRING_PROBLEMS[cell.problem].code;
    });
    expect(Object.fromEntries(ends.map((state, i) => [state, codes[i]]))).toEqual({
      COMPLETE: 'PAIRING_USED',
      REFUSED: 'PAIRING_REFUSED',
      CANCELLED: 'PAIRING_CANCELLED',
      EXPIRED: 'PAIRING_EXPIRED',
    });
    expect(PAIRING_TABLE.LOCKED.call).toEqual({ problem: 'locked' });
    expect(new Set(Object.values(PAIRING_PROBLEMS).map(({ message }) => message)).size).toBe(
      Object.keys(PAIRING_PROBLEMS).length,
    );
  });

  it('ends by time from every state that has not ended', () => {
    for (const state of PAIRING_STATES) {
      expect(PAIRING_TABLE[state].expire, state).toBe(hasEnded(state) ? state : 'EXPIRED');
    }
  });
});

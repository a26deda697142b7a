/** The part of a recording that the detail strip shows: moving it, zooming it, and parsing a typed time. Pure. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src-server/durations.ts';
import { clockInstants } from '../../shared/time/local-day.ts';

export interface DetailView {
  startMs: number;
  lengthMs: number;
}

/** A span of time, such as that of the recording, epoch ms. */
export interface Extent {
  startMs: number;
  stopMs: number;
}

export const SHORTEST_MS = 500;
/** Longest window for which raw samples are fetched, as the interface recommends; a longer one shows the envelope. */
export const LONGEST_RAW_MS = MINUTE_MS;
export const DEFAULT_MS = 10 * SECOND_MS;
export const CONTEXT_MS = 10 * MINUTE_MS;

/** Clamps a view to the recording, moving and shortening it as little as possible. */
export function clampView(view: DetailView, extent: Extent): DetailView {
  const whole = extent.stopMs - extent.startMs;
  const lengthMs = Math.min(Math.max(view.lengthMs, SHORTEST_MS), Math.max(whole, SHORTEST_MS));
  const lastStartMs = Math.max(extent.startMs, extent.stopMs - lengthMs);
  return { startMs: Math.min(Math.max(view.startMs, extent.startMs), lastStartMs), lengthMs };
}

/** The view with which a recording opens: around an instant of the address, or else from where it can first be read. */
export function firstView(extent: Extent, atMs: number | undefined, readableMs: number): DetailView {
  return clampView({ startMs: atMs === undefined ? readableMs : atMs - DEFAULT_MS / 2, lengthMs: DEFAULT_MS }, extent);
}

/** Changes the length of a view while an instant keeps its position on the screen. */
export function zoomedTo(view: DetailView, extent: Extent, aroundMs: number, lengthMs: number): DetailView {
  const wanted = clampView({ startMs: view.startMs, lengthMs }, extent).lengthMs;
  const share = (aroundMs - view.startMs) / view.lengthMs;
  return clampView({ startMs: aroundMs - share * wanted, lengthMs: wanted }, extent);
}

export function movedBy(view: DetailView, extent: Extent, ms: number): DetailView {
  return clampView({ ...view, startMs: view.startMs + ms }, extent);
}

/** Moves a view so that an instant is in its middle. */
export function centredOn(view: DetailView, extent: Extent, ms: number): DetailView {
  return clampView({ ...view, startMs: ms - view.lengthMs / 2 }, extent);
}

const STEP = /^([+-])\s*(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)?$/i;
const UNIT_MS: Record<string, number> = { ms: 1, s: SECOND_MS, m: MINUTE_MS, min: MINUTE_MS, h: HOUR_MS };
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,3})?))?$/;

/**
 * Parses a typed time: a local clock (`14:05`, `14:05:30`; of several occurrences the first at or after `nowMs`, or else the
 * last before it), a step from `nowMs` (`+30s`, `-2m`), or ISO 8601 with an offset. Full-width characters are accepted.
 * Returns null for anything else and for a time outside the recording.
 */
export function parseGoTo(text: string, nowMs: number, extent: Extent, timeZone: string): number | null {
  const plain = text.normalize('NFKC').trim();
  const ms = stepFrom(plain, nowMs) ?? clockIn(plain, nowMs, extent, timeZone) ?? isoInstant(plain);
  return ms !== null && ms >= extent.startMs && ms <= extent.stopMs ? ms : null;
}

function stepFrom(text: string, nowMs: number): number | null {
  const match = STEP.exec(text);
  if (!match) return null;
  const [, sign, amount, unit = 's'] = match;
  const stepMs = Number(amount) * (UNIT_MS[unit.toLowerCase()] ?? Number.NaN);
  return sign === '-' ? nowMs - stepMs : nowMs + stepMs;
}

function clockIn(text: string, nowMs: number, extent: Extent, timeZone: string): number | null {
  const match = CLOCK.exec(text);
  if (!match) return null;
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)];
  if (hour > 23 || minute > 59 || second >= 60) return null;
  const instants = clockInstants(extent.startMs, extent.stopMs, timeZone, hour, minute).map((ms) => ms + second * 1000);
  const inside = instants.filter((ms) => ms >= extent.startMs && ms <= extent.stopMs);
  return inside.find((ms) => ms >= nowMs) ?? inside.at(-1) ?? null;
}

function isoInstant(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

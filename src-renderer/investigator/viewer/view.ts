/** The stretch of a recording that the detail strip shows: moving, zooming and finding a time in it. Pure. */
import { clockInstants } from '../../shared/time/local-day.ts';

export interface DetailView {
  startMs: number;
  lengthMs: number;
}

/** Ends of the recording, epoch ms. */
export interface Extent {
  startMs: number;
  stopMs: number;
}

export const SHORTEST_MS = 500;
/** Raw samples are read for windows up to this long, as the interface recommends; beyond it the envelope shows. */
export const LONGEST_RAW_MS = 60_000;
export const DEFAULT_MS = 10_000;
export const CONTEXT_MS = 10 * 60_000;

/** A view within the recording, moved and shortened as little as needed. */
export function placed(view: DetailView, extent: Extent): DetailView {
  const whole = extent.stopMs - extent.startMs;
  const lengthMs = Math.min(Math.max(view.lengthMs, SHORTEST_MS), Math.max(whole, SHORTEST_MS));
  const lastStartMs = Math.max(extent.startMs, extent.stopMs - lengthMs);
  return { startMs: Math.min(Math.max(view.startMs, extent.startMs), lastStartMs), lengthMs };
}

/** The view of another length in which the instant stays where it is. */
export function zoomedTo(view: DetailView, extent: Extent, aroundMs: number, lengthMs: number): DetailView {
  const wanted = placed({ startMs: view.startMs, lengthMs }, extent).lengthMs;
  const share = (aroundMs - view.startMs) / view.lengthMs;
  return placed({ startMs: aroundMs - share * wanted, lengthMs: wanted }, extent);
}

export function movedBy(view: DetailView, extent: Extent, ms: number): DetailView {
  return placed({ ...view, startMs: view.startMs + ms }, extent);
}

/** The view with the instant in its middle. */
export function centredOn(view: DetailView, extent: Extent, ms: number): DetailView {
  return placed({ ...view, startMs: ms - view.lengthMs / 2 }, extent);
}

const STEP = /^([+-])\s*(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)?$/i;
const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };
const CLOCK = /^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,3})?))?$/;

/**
 * An instant from what a person types: a local clock (`14:05`, `14:05:30`; of several, the first at or after `nowMs`, else the
 * last before it), a step from `nowMs` (`+30s`, `-2m`), or ISO 8601 with an offset. Full-width characters count as their
 * narrow forms. `null` when it is none of them or lies outside the recording.
 */
export function parseGoTo(text: string, nowMs: number, extent: Extent, timeZone: string): number | null {
  const plain = text.normalize('NFKC').trim();
  const ms = stepFrom(plain, nowMs) ?? clockIn(plain, nowMs, extent, timeZone) ?? isoInstant(plain);
  return ms !== null && ms >= extent.startMs && ms <= extent.stopMs ? ms : null;
}

function stepFrom(text: string, nowMs: number): number | null {
  const match = STEP.exec(text);
  if (!match) return null;
  const size = Number(match[2]) * UNIT_MS[(match[3] ?? 's').toLowerCase()];
  return match[1] === '-' ? nowMs - size : nowMs + size;
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

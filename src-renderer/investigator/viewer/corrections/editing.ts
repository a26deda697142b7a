/** Correcting the beats of a recording: which beat is selected, what a person does to it, and what that looks like at once. */
import type { Beat, Correction, NewCorrectionInput } from '../../../../src-server/api/contract/index.ts';
import type { BeatCode, CorrectionKind } from '../../../../src-server/vocabulary/corrections.ts';
import { createStore, type Store } from '../../../shared/store.ts';
import { spanOf } from '../data/measure.ts';
import type { ViewerModel } from '../data/model.ts';
import { centredOn, type Extent } from '../view.ts';
import type { Applied } from './overlay.ts';
import { peakNear } from './peak.ts';
import type { CorrectionQueue } from './queue.ts';

/** How far ahead the next beat is looked for. */
const SEARCH_MS = 60_000;
/** A beat of interest is shown with this share of the window before it. */
const EDGE_SHARE = 0.1;
const SNAP_MS = 80;

/** A step of this sitting that Ctrl+Z takes back. */
interface Step {
  /** Of the row to undo next. */
  lastId: string;
  atUs: number;
}

export class Editing {
  readonly counts: Store<{ undo: number; redo: number }> = createStore({ undo: 0, redo: 0 });
  /** Asked once per sitting; null until then. */
  readonly reason: Store<string | null> = createStore<string | null>(null);
  readonly #model: ViewerModel;
  readonly #queue: CorrectionQueue;
  readonly #newId: () => string;
  #stored: readonly Correction[] = [];
  #done: Step[] = [];
  #undone: Step[] = [];
  /** The move that further steps of the same beat are added to. */
  #moving: { id: string; fromUs: number; toUs: number } | null = null;

  constructor(model: ViewerModel, queue: CorrectionQueue, newId: () => string = () => crypto.randomUUID()) {
    this.#model = model;
    this.#queue = queue;
    this.#newId = newId;
    this.#show();
    queue.state.subscribe(() => this.#show());
  }

  get queue(): CorrectionQueue {
    return this.#queue;
  }

  /** What the site has of the recording, in the order of its making. */
  setStored(stored: readonly Correction[]): void {
    this.#stored = stored;
    this.#show();
  }

  /** Applies what the site has and what is on its way to it. */
  #show(): void {
    const recordingId = this.#model.recording.id;
    // What waits comes after what the site has, in an order of its own: its clock is that of this computer, not of the site.
    const chains = new Map<
      string,
      { applied: Applied; isInForce: boolean; order: number; isWaiting?: boolean; recordingId?: string }
    >();
    const rootOf = new Map<string, string>();
    for (const one of this.#stored) {
      const order = one.steps.at(-1)?.createdTs ?? one.createdTs;
      chains.set(one.id, { applied: one, isInForce: one.isInForce, order, recordingId: one.recordingId ?? '' });
      for (const { id } of [one, ...one.steps]) rootOf.set(id, one.id);
    }
    const refused = new Set(this.#queue.state.get().refused.map(({ item }) => item.body.id));
    for (const { body, order } of this.#queue.state.get().waiting) {
      if (rootOf.has(body.id) || refused.has(body.id)) continue;
      if (body.kind === 'UNDO') {
        const root = rootOf.get(body.undoes ?? '');
        const chain = root === undefined ? undefined : chains.get(root);
        if (!chain) continue;
        Object.assign(chain, { isInForce: !chain.isInForce, order, isWaiting: true });
        rootOf.set(body.id, root!);
        continue;
      }
      const recordingId = body.recordingId ?? '';
      chains.set(body.id, { applied: appliedOf(body), isInForce: true, order, isWaiting: true, recordingId });
      rootOf.set(body.id, body.id);
    }
    const inForce = [...chains.values()]
      .filter((chain) => chain.isInForce && (chain.recordingId === recordingId || chain.recordingId === ''))
      .sort((a, b) => Number(a.isWaiting ?? false) - Number(b.isWaiting ?? false) || a.order - b.order);
    this.#model.setCorrections(inForce.map(({ applied }) => applied));
  }

  get selectedUs(): number | null {
    return this.#model.state.get().selectedUs;
  }

  select(timeUs: number | null): void {
    const { model } = this;
    if (this.#moving && this.#moving.toUs !== timeUs) this.#moving = null;
    if (timeUs === null) {
      model.set({ selectedUs: null });
      return;
    }
    const ms = timeUs / 1000;
    model.set({ selectedUs: timeUs, cursorMs: ms });
    const { view } = model.state.get();
    const edgeMs = EDGE_SHARE * view.lengthMs;
    if (ms < view.startMs + edgeMs || ms > view.startMs + view.lengthMs - edgeMs)
      model.setView(centredOn(view, model.extent, ms));
  }

  get model(): ViewerModel {
    return this.#model;
  }

  /** The selected beat as it is now. */
  #selected(): Beat | undefined {
    const timeUs = this.selectedUs;
    if (timeUs === null) return undefined;
    const window: Extent = { startMs: timeUs / 1000 - 1000, stopMs: timeUs / 1000 + 1000 };
    return this.#model.beats(window).beats.find((beat) => Math.abs(beat.timeUs - timeUs) < 1000);
  }

  /** Goes to the next or previous beat; with `isWanted` to one of those. False while none has arrived within reach. */
  step(direction: -1 | 1, isWanted: (beat: Beat) => boolean = () => true): boolean {
    const { view, cursorMs } = this.#model.state.get();
    const fromUs = this.selectedUs ?? 1000 * (cursorMs ?? view.startMs);
    const fromMs = fromUs / 1000;
    const window =
      direction > 0 ? { startMs: fromMs, stopMs: fromMs + SEARCH_MS } : { startMs: fromMs - SEARCH_MS, stopMs: fromMs };
    const ahead = this.#model
      .beats(window)
      .beats.filter((beat) => (direction > 0 ? beat.timeUs > fromUs + 1000 : beat.timeUs < fromUs - 1000))
      .filter(isWanted);
    const found = direction > 0 ? ahead[0] : ahead.at(-1);
    if (!found) return false;
    this.select(found.timeUs);
    return true;
  }

  /** Selects the beat nearest to an instant, within a share of the view. */
  pick(ms: number): void {
    const reachMs = 0.02 * this.#model.state.get().view.lengthMs;
    const { beats } = this.#model.beats({ startMs: ms - reachMs, stopMs: ms + reachMs });
    let best: Beat | undefined;
    for (const beat of beats) {
      const distance = Math.abs(beat.timeUs / 1000 - ms);
      if (distance <= reachMs && !(best && Math.abs(best.timeUs / 1000 - ms) <= distance)) best = beat;
    }
    this.select(best?.timeUs ?? null);
    if (!best) this.#model.set({ cursorMs: ms });
  }

  #make(body: Omit<NewCorrectionInput, 'id'>, atUs: number): string {
    const id = this.#newId();
    this.#queue.add({ id, ...body }, this.reason.get()?.trim() || undefined);
    this.#done.push({ lastId: id, atUs });
    this.#undone = [];
    this.#count();
    return id;
  }

  #beat(kind: CorrectionKind, timeUs: number, more: Partial<NewCorrectionInput> = {}): string {
    return this.#make({ kind, recordingId: this.#model.recording.id, timeUs: Math.round(timeUs), ...more }, timeUs);
  }

  remove(): void {
    const beat = this.#selected();
    if (!beat) return;
    this.#beat('BEAT_DELETE', beat.timeUs);
    this.#model.set({ selectedUs: null });
  }

  label(code: BeatCode): void {
    const beat = this.#selected();
    if (beat) this.#beat('BEAT_LABEL', beat.timeUs, { code });
  }

  /** Adds a beat at the cursor, on the R peak near it where there is an ECG. */
  add(): void {
    const { cursorMs } = this.#model.state.get();
    if (cursorMs === null) return;
    const lead = this.#model.sensor.lead;
    const window = { startMs: cursorMs - 2 * SNAP_MS, stopMs: cursorMs + 2 * SNAP_MS };
    const runs = lead ? this.#model.runs(this.#model.sensor, lead.type, window) : [];
    const timeUs = Math.round(1000 * (peakNear(runs, cursorMs, SNAP_MS) ?? cursorMs));
    this.#beat('BEAT_ADD', timeUs, { code: 'N' });
    this.select(timeUs);
  }

  /** Moves the selected beat by samples. Steps that follow each other are one correction until it has left. */
  move(samples: number): void {
    const beat = this.#selected();
    if (!beat) return;
    const { sensor } = this.#model;
    const stepUs = sensor.lead ? 1e6 / sensor.lead.nominalRateHz : 1000;
    const toUs = Math.round(beat.timeUs + samples * stepUs);
    const moving = this.#moving;
    const isSame = moving !== null && Math.abs(moving.toUs - beat.timeUs) < 1000;
    if (isSame && this.#queue.amend(moving.id, { toUs })) this.#moving = { ...moving, toUs };
    else {
      const id = this.#beat('BEAT_MOVE', beat.timeUs, { toUs });
      this.#moving = { id, fromUs: beat.timeUs, toUs };
    }
    this.select(toUs);
  }

  /** Corrects the span between the calipers. */
  span(kind: CorrectionKind): boolean {
    const span = spanOf(this.#model.state.get().calipers);
    if (!span || span.stopMs - span.startMs < 1) return false;
    const startTs = Math.round(span.startMs);
    const stopTs = Math.max(startTs + 1, Math.round(span.stopMs));
    const ofRecording = kind === 'EXCLUDE' ? { recordingId: this.#model.recording.id } : {};
    this.#make({ kind, ...ofRecording, startTs, stopTs }, startTs * 1000);
    this.#model.clearCalipers();
    return true;
  }

  undo(): void {
    this.#takeBack(this.#done, this.#undone);
  }

  redo(): void {
    this.#takeBack(this.#undone, this.#done);
  }

  /** Undoing is a correction of its own, and so is undoing that. */
  #takeBack(from: Step[], to: Step[]): void {
    const step = from.pop();
    if (!step) return;
    this.#moving = null;
    to.push({ lastId: this.turn(step.lastId), atUs: step.atUs });
    this.#count();
    this.select(step.atUs);
  }

  /** Undoes or redoes any correction, by the last row of its chain. */
  turn(lastId: string): string {
    const id = this.#newId();
    this.#queue.add({ id, kind: 'UNDO', undoes: lastId }, this.reason.get()?.trim() || undefined);
    return id;
  }

  #count(): void {
    this.counts.set({ undo: this.#done.length, redo: this.#undone.length });
  }
}

/** A correction that has not been stored yet. */
export function appliedOf({ kind, timeUs, toUs, code, startTs, stopTs }: NewCorrectionInput): Applied {
  const from = startTs ?? Math.floor(Math.min(timeUs ?? 0, toUs ?? timeUs ?? 0) / 1000);
  const to = stopTs ?? Math.floor(Math.max(timeUs ?? 0, toUs ?? 0) / 1000) + 1;
  return { kind: kind as CorrectionKind, timeUs, toUs, code, startTs: from, stopTs: to };
}

/** Undo and redo of label changes. The site's audit trail records every step on its own. */
import { client } from '../../../shared/api/client.ts';
import { createStore, type Store } from '../../../shared/store.ts';
import type { LabelItem } from './labels.ts';

export interface NewLabel {
  displayName: string;
  startTs: number;
  stopTs?: number;
  value?: string;
}

/** A change that can be undone. Undoing returns the inverse change, because a restored label has a new id. */
interface Change {
  undo: () => Promise<Change>;
}

const labelOf = ({ name, startMs, stopMs, value }: LabelItem): NewLabel => ({
  displayName: name,
  startTs: startMs,
  stopTs: stopMs,
  value,
});

export class LabelHistory {
  readonly counts: Store<{ undo: number; redo: number }> = createStore({ undo: 0, redo: 0 });
  readonly #params: { studyId: string; subjectId: string };
  readonly #recordingId: string | undefined;
  readonly #onChange: () => Promise<unknown>;
  #done: Change[] = [];
  #undone: Change[] = [];

  /** With an `id`, new labels belong to that recording. */
  constructor(recording: { id?: string; studyId: string; subjectId: string }, onChange: () => Promise<unknown>) {
    this.#params = { studyId: recording.studyId, subjectId: recording.subjectId };
    this.#recordingId = recording.id;
    this.#onChange = onChange;
  }

  get studyId(): string {
    return this.#params.studyId;
  }

  /** @param reason recorded in the history of the label, and again when the change is undone */
  async create(label: NewLabel, reason?: string): Promise<void> {
    await this.#record(() => this.#create(label, reason));
  }

  async remove(item: LabelItem, reason?: string): Promise<void> {
    await this.#record(() => this.#remove(item.id, labelOf(item), reason));
  }

  async update(item: LabelItem, label: NewLabel, reason?: string): Promise<void> {
    await this.#record(() => this.#update(item.id, labelOf(item), label, reason));
  }

  async undo(): Promise<void> {
    const change = this.#done.at(-1);
    if (!change) return;
    const inverse = await change.undo();
    this.#done.pop();
    this.#undone.push(inverse);
    await this.#changed();
  }

  async redo(): Promise<void> {
    const change = this.#undone.at(-1);
    if (!change) return;
    const inverse = await change.undo();
    this.#undone.pop();
    this.#done.push(inverse);
    await this.#changed();
  }

  async #record(apply: () => Promise<Change>): Promise<void> {
    this.#done.push(await apply());
    this.#undone = [];
    await this.#changed();
  }

  async #create(label: NewLabel, reason?: string): Promise<Change> {
    const body = { ...label, recordingId: this.#recordingId, reason };
    const { id } = await client.call('createLabel', { params: this.#params, body });
    return { undo: () => this.#remove(id, label, reason) };
  }

  async #update(annotationId: string, old: NewLabel, label: NewLabel, reason?: string): Promise<Change> {
    const { displayName, startTs, stopTs = startTs, value = null } = label;
    const body = { displayName, startTs, stopTs, value, reason };
    await client.call('updateLabel', { params: { ...this.#params, annotationId }, body });
    return { undo: () => this.#update(annotationId, label, old, reason) };
  }

  async #remove(annotationId: string, label: NewLabel, reason?: string): Promise<Change> {
    await client.call('deleteLabel', { params: { ...this.#params, annotationId }, query: { reason } });
    return { undo: () => this.#create(label, reason) };
  }

  async #changed(): Promise<void> {
    this.counts.set({ undo: this.#done.length, redo: this.#undone.length });
    await this.#onChange();
  }
}

/** Labels, tasks and answers of a session as BIDS events of the runs that they overlap. */
import type { AnnotationRecord } from '../../db/index.ts';
import type { ShownAnnotation } from '../study-export/export-view.ts';
import { jsonText, tsvRow } from './names.ts';
import type { Run } from './session-runs.ts';

/** In columns, because a day of imported beats is 100,000 events. */
export interface SessionEvents {
  startsTs: number[];
  stopsTs: number[];
  /** Cells after onset and duration. */
  cells: string[];
}

const KINDS: Record<AnnotationRecord['type'], string> = {
  activity: 'activity',
  diary: 'survey',
  question: 'answer',
  recording: 'label',
  subject: 'system',
};

const COLUMNS = ['onset', 'duration', 'trial_type', 'kind', 'value'];

/** Describes the columns of every events file of the dataset. */
export function eventsSidecar(taskName: string): string {
  return jsonText({
    TaskName: taskName,
    onset: { Description: 'Time after the first sample of the run, over all sensors of the folder', Units: 's' },
    duration: { Description: 'Duration; 0 for an instant', Units: 's' },
    trial_type: { Description: 'Name of the label, activity or survey, or the question that was answered' },
    kind: {
      Description: 'Kind of the event',
      Levels: {
        activity: 'an activity that the participant reported',
        survey: 'a survey that the participant completed',
        answer: 'an answer of a survey or activity',
        skipped: 'a question that the participant chose not to answer',
        label: 'a label that a person set or that came with the recording',
        system: 'a label that the system set',
      },
    },
    value: { Description: 'The answer, or a note of the label' },
  });
}

export const noEvents = (): SessionEvents => ({ startsTs: [], stopsTs: [], cells: [] });

/** @param shown the annotation after disclosure */
export function addEvent(events: SessionEvents, shown: ShownAnnotation): void {
  const add = (cells: string) => {
    events.startsTs.push(shown.startTs);
    events.stopsTs.push(shown.stopTs);
    events.cells.push(cells);
  };
  add(tsvRow([shown.displayName, KINDS[shown.type], shown.value]));
  for (const text of shown.skipped) add(tsvRow([text, 'skipped', undefined]));
}

/** Returns the rows of a run's events; null when there are none. Onsets are relative to `zeroUs`. */
export function eventsOf({ startsTs, stopsTs, cells }: SessionEvents, { firstUs, lastUs }: Run, zeroUs: number) {
  const found: number[] = [];
  for (let i = 0; i < cells.length; i++) {
    if (stopsTs[i]! * 1000 >= firstUs && startsTs[i]! * 1000 <= lastUs) found.push(i);
  }
  if (found.length === 0) return null;
  found.sort((a, b) => startsTs[a]! - startsTs[b]!);
  return (function* rows() {
    yield tsvRow(COLUMNS);
    for (const i of found) {
      const onset = (startsTs[i]! * 1000 - zeroUs) / 1e6;
      const duration = (stopsTs[i]! - startsTs[i]!) / 1000;
      yield `${onset.toFixed(3)}\t${duration.toFixed(3)}\t${cells[i]!}`;
    }
  })();
}

/** The cursor of a day, and the way from it to the raw signals at that instant. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { SubjectDetail } from '../../../src-server/api/contract/index.ts';
import { createStore, type Store, useSelected } from '../../shared/store.ts';
import { recordingAt } from '../subjects/coverage.ts';

export interface SignalsAtCursor {
  cursor: Store<number | null>;
  /** True while a recording covers the cursor. */
  hasSignals: boolean;
  open: (ms: number) => void;
  /** Opens the signals at the cursor, or at the start of the window without one. */
  openAtCursor: () => void;
}

export function useOpenSignals({ studyId, id: subjectId, recordings }: SubjectDetail, fromMs: number): SignalsAtCursor {
  const navigate = useNavigate();
  const [cursor] = useState(() => createStore<number | null>(null));
  const hasSignals = useSelected(cursor, (ms) => ms !== null && recordingAt(recordings, ms) !== undefined);
  const open = (ms: number) => {
    const recording = recordingAt(recordings, ms);
    if (!recording) return;
    void navigate({
      to: '/studies/$studyId/subjects/$subjectId/recordings/$recordingId',
      params: { studyId, subjectId, recordingId: recording.id },
      search: { at: Math.round(ms) },
    });
  };
  return { cursor, hasSignals, open, openAtCursor: () => open(cursor.get() ?? fromMs) };
}

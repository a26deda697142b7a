/** The cursor of a day, and the way from it to the raw signals at that instant. */
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Recording } from '../../../src-server/api/contract/index.ts';
import type { DeskSubject } from '../../shared/api/queries.ts';
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

/** @param recordings those of the window, which begins at `fromMs` */
export function useOpenSignals(
  { studyId, id: subjectId }: DeskSubject,
  recordings: readonly Recording[],
  fromMs: number,
): SignalsAtCursor {
  const navigate = useNavigate();
  const [cursor] = useState(() => createStore<number | null>(null));
  const hasSignals = useSelected(cursor, (ms) => ms !== null && recordingAt(recordings, ms) !== undefined);
  const actions = useMemo(() => {
    const open = (ms: number) => {
      const recording = recordingAt(recordings, ms);
      if (!recording) return;
      void navigate({
        to: '/studies/$studyId/subjects/$subjectId/recordings/$recordingId',
        params: { studyId, subjectId, recordingId: recording.id },
        search: { at: Math.round(ms) },
      });
    };
    return { cursor, open, openAtCursor: () => open(cursor.get() ?? fromMs) };
  }, [navigate, cursor, recordings, studyId, subjectId, fromMs]);
  return useMemo(() => ({ ...actions, hasSignals }), [actions, hasSignals]);
}

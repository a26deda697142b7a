/** The editing of one recording: its corrections as the site has them, and what is on its way there. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { Recording } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { recordingCorrectionsQuery } from '../../../shared/api/correction-queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import type { ViewerModel } from '../data/model.ts';
import { Editing } from './editing.ts';
import { CorrectionQueue } from './queue.ts';

/** Keeps what it is given as long as the page lasts, where the browser stores nothing. */
function memoryStorage(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    clear: () => kept.clear(),
    getItem: (key) => kept.get(key) ?? null,
    key: (place) => [...kept.keys()][place] ?? null,
    removeItem: (key) => void kept.delete(key),
    setItem: (key, value) => void kept.set(key, value),
  };
}

function pageStorage(): Storage {
  try {
    return localStorage;
  } catch {
    return memoryStorage();
  }
}

const later = (run: () => void, ms: number) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

export function useEditing(model: ViewerModel, recording: Recording) {
  const queries = useQueryClient();
  const userId = useSession()?.user.id ?? '';
  const { studyId, subjectId } = recording;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one for each recording and person
  const editing = useMemo(() => {
    const queue = new CorrectionQueue(
      userId,
      { studyId, subjectId },
      {
        storage: pageStorage(),
        send: (params, corrections, reason) => client.call('addCorrections', { params, body: { corrections, reason } }),
        onSent: () => queries.invalidateQueries({ queryKey: ['correction', studyId, subjectId] }),
        later,
        now: Date.now,
      },
    );
    return new Editing(model, queue);
  }, [model, userId]);
  useEffect(() => {
    const retry = () => editing.queue.retry();
    window.addEventListener('online', retry);
    retry();
    return () => {
      window.removeEventListener('online', retry);
      editing.queue.close();
    };
  }, [editing]);
  const stored = useQuery(recordingCorrectionsQuery(recording));
  useEffect(() => {
    if (stored.data) editing.setStored(stored.data);
  }, [stored.data, editing]);
  return { editing, stored };
}

/** What the search of the site found, as targets of the palette. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { SearchHit } from '../../../src-server/api/contract/index.ts';
import { localDateIn } from '../../../src-server/study/day-windows.ts';
import { LONGEST_SEARCH } from '../../../src-server/vocabulary/search.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { subjectsQuery } from '../../shared/api/queries.ts';
import { FOUND_KINDS, isSearchable, searchQuery } from '../../shared/api/search-queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import type { IconName } from '../../shared/kit/icon.tsx';
import type { Target, TargetSection } from './palette-targets.ts';

/** Between two keystrokes of somebody who types fast. */
const PAUSE_MS = 120;

const ICONS: Readonly<Record<(typeof FOUND_KINDS)[number], IconName>> = {
  note: 'pencil',
  message: 'messages',
  query: 'info',
  label: 'ruler',
  answer: 'messages',
  equipment: 'equipment',
  staff: 'account',
  task: 'rows',
  event: 'events',
};

export interface Found {
  sections: TargetSection[];
  state: 'idle' | 'searching' | 'done' | 'failed';
  isIndexing: boolean;
  hasMore: boolean;
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export function useFound(typed: string): Found {
  const { t } = useWords();
  const { user } = useSession();
  const open = useOpenHit();
  const can = usePermissions();
  const text = useSettled(typed.trim().slice(0, LONGEST_SEARCH));
  const query = useQuery(searchQuery(user.accountId, text));
  if (!isSearchable(typed)) return { sections: [], state: 'idle', isIndexing: false, hasMore: false };
  const { items = [], more = [], indexing } = query.data ?? {};
  const targetOf = (hit: SearchHit, icon: IconName): Target => {
    const label = hit.title === undefined ? hit.text : t('palette.withTitle', { title: hit.title, text: hit.text });
    // The text ends the label in every language.
    const place =
      hit.subjectName !== undefined && hit.studyName !== undefined
        ? t('palette.place', { subject: hit.subjectName, study: hit.studyName })
        : (hit.subjectName ?? hit.studyName);
    const shift = label.length - hit.text.length;
    return {
      id: `found ${hit.kind} ${hit.id}`,
      label,
      matches: hit.matches.map(([from, to]) => [from + shift, to + shift]),
      detail: hit.isWithdrawn ? t('palette.withdrawn', { place: place ?? '' }) : place,
      icon,
      run: () => open(hit),
    };
  };
  const sections = FOUND_KINDS.map((kind) => ({
    title: t(`palette.found.${kind}`),
    targets: items
      .filter((hit) => hit.kind === kind && (kind !== 'staff' || can('site.manage')))
      .map((hit) => targetOf(hit, ICONS[kind])),
  })).filter(({ targets }) => targets.length > 0);
  const isWaiting = query.isFetching || text !== typed.trim().slice(0, LONGEST_SEARCH);
  return {
    sections,
    state: query.isError ? 'failed' : isWaiting ? 'searching' : 'done',
    isIndexing: indexing !== undefined,
    hasMore: more.length > 0,
  };
}

/** Returns what opens the page of something that was found. */
function useOpenHit(): (hit: SearchHit) => void {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return ({ kind, id, studyId = '', subjectId, ts }) => {
    const study = { studyId };
    const subject = { studyId, subjectId: subjectId ?? '' };
    const isOfSubject = subjectId !== undefined;
    if (kind === 'note') {
      const search = { note: id };
      if (isOfSubject) void navigate({ to: '/studies/$studyId/subjects/$subjectId/notes', params: subject, search });
      else void navigate({ to: '/studies/$studyId/notes', params: study, search });
    } else if (kind === 'message') {
      void navigate({ to: '/studies/$studyId/subjects/$subjectId/messages', params: subject });
    } else if (kind === 'query') {
      void navigate({ to: '/studies/$studyId/subjects/$subjectId/queries', params: subject });
    } else if (kind === 'label') {
      void navigate({ to: '/studies/$studyId/subjects/$subjectId/labels', params: subject });
    } else if (kind === 'answer') {
      const zone = queries
        .getQueryData(subjectsQuery(studyId).queryKey)
        ?.items.find((one) => one.id === subjectId)?.timezone;
      const date = localDateIn(ts, zone ?? 'UTC');
      void navigate({ to: '/studies/$studyId/subjects/$subjectId/tasks', params: subject, search: { date } });
    } else if (kind === 'equipment') {
      void navigate({ to: '/equipment/$equipmentId', params: { equipmentId: id } });
    } else if (kind === 'staff') {
      void navigate({ to: '/site/users' });
    } else if (kind === 'task') {
      void navigate({ to: '/studies/$studyId/definition', params: study });
    } else if (isOfSubject) {
      void navigate({ to: '/studies/$studyId/subjects/$subjectId/history', params: subject });
    } else {
      void navigate({ to: '/studies/$studyId/history', params: study });
    }
  };
}

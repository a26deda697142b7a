/** What the search of the site found, as targets of the palette. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { SearchHit } from '../../../src-server/api/contract/index.ts';
import { EVENT_WORDS, LONGEST_SEARCH } from '../../../src-server/vocabulary/search.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { FOUND_KINDS, isSearchable, searchQuery } from '../../shared/api/search-queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import type { Language } from '../../shared/i18n/languages.ts';
import type { IconName } from '../../shared/kit/icon.tsx';
import { localDate } from '../../shared/time/local-day.ts';
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
  const { t, language } = useWords();
  const { user } = useSession();
  const open = useOpenHit();
  const can = usePermissions();
  const text = useSettled(typed.trim().slice(0, LONGEST_SEARCH));
  const query = useQuery(searchQuery(user.accountId, text));
  if (!isSearchable(typed)) return { sections: [], state: 'idle', isIndexing: false, hasMore: false };
  const { items = [], more = [], indexing } = query.data ?? {};
  const targetOf = (hit: SearchHit, icon: IconName): Target => {
    const { text: found, matches } = inLanguage(hit, language);
    const label = hit.title === undefined ? found : t('palette.withTitle', { title: hit.title, text: found });
    // The text ends the label in every language.
    const place =
      hit.subjectName !== undefined && hit.studyName !== undefined
        ? t('palette.place', { subject: hit.subjectName, study: hit.studyName })
        : (hit.subjectName ?? hit.studyName);
    const shift = label.length - found.length;
    return {
      id: `found ${hit.kind} ${hit.id}`,
      label,
      matches: matches.map(([from, to]) => [from + shift, to + shift]),
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

/** The text and matches of a hit; of an event, which is found in every language, those of one language. */
export function inLanguage(
  { text, matches, action }: Pick<SearchHit, 'text' | 'matches' | 'action'>,
  language: Language,
): { text: string; matches: SearchHit['matches'] } {
  if (action === undefined) return { text, matches };
  const words = EVENT_WORDS[action][language];
  const start = text.indexOf(words);
  const stop = start + words.length;
  return {
    text: words,
    matches: start < 0 ? [] : matches.flatMap(([a, b]) => (a >= start && b <= stop ? [[a - start, b - start]] : [])),
  };
}

/** Returns what opens something that was found: its page, at the very item. */
function useOpenHit(): (hit: SearchHit) => void {
  const navigate = useNavigate();
  return ({ kind, id, recordId = id, studyId = '', subjectId, ts }) => {
    const study = { studyId };
    const subject = { studyId, subjectId: subjectId ?? '' };
    const isOfSubject = subjectId !== undefined;
    if (kind === 'note') {
      const search = { note: id };
      if (isOfSubject) void navigate({ to: '/studies/$studyId/subjects/$subjectId/notes', params: subject, search });
      else void navigate({ to: '/studies/$studyId/notes', params: study, search });
    } else if (kind === 'message') {
      const search = { show: id };
      void navigate({ to: '/studies/$studyId/subjects/$subjectId/messages', params: subject, search });
    } else if (kind === 'query') {
      const search = { show: id };
      void navigate({ to: '/studies/$studyId/subjects/$subjectId/queries', params: subject, search });
    } else if (kind === 'label' || kind === 'answer') {
      const search = { show: recordId };
      void navigate({ to: '/studies/$studyId/subjects/$subjectId/labels', params: subject, search });
    } else if (kind === 'equipment') {
      void navigate({ to: '/equipment/$equipmentId', params: { equipmentId: id } });
    } else if (kind === 'staff') {
      void navigate({ to: '/site/users' });
    } else if (kind === 'task') {
      void navigate({ to: '/studies/$studyId/definition', params: study });
    } else {
      // Days of the log are those of this computer.
      const date = localDate(ts, Intl.DateTimeFormat().resolvedOptions().timeZone);
      void navigate({ to: '/events', search: { study: studyId, date, show: id } });
    }
  };
}

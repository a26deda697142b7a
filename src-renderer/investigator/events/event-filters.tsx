/** The controls above the event log: study, day, type and subject. */
import type { ReactNode } from 'react';
import type { Study, Subject } from '../../../src-server/api/contract/index.ts';
import { EVENT_ACTIONS } from '../../shared/api/event-actions.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Field, IconButton } from '../../shared/kit/controls.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { addDays } from '../../shared/time/local-day.ts';
import styles from './events.module.css';

export interface EventSearch {
  study?: string;
  date?: string;
  type?: string;
  subject?: string;
}

export function EventFilters({
  studies,
  study,
  date,
  today,
  type,
  subjects,
  subjectId,
  onChange,
  children,
}: {
  studies: readonly Study[];
  study: Study;
  date: string;
  today: string;
  type: (typeof EVENT_ACTIONS)[number] | 'all';
  subjects: readonly Subject[];
  /** '' for all. */
  subjectId: string;
  onChange: (change: EventSearch) => void;
  children: ReactNode;
}) {
  const { t } = useWords();
  return (
    <div className={styles.tools}>
      <Select
        isCompact
        label={t('events.study')}
        value={study.id}
        options={studies.map(({ id, displayName }) => ({ id, label: displayName }))}
        onChange={(next) => onChange({ study: next, subject: undefined })}
      />
      <span className={styles.day}>
        <IconButton
          icon="left"
          label={t('commands.previousDay')}
          onPress={() => onChange({ date: addDays(date, -1) })}
        />
        <Field
          type="date"
          label={t('events.day')}
          value={date}
          onChange={(next) => {
            if (/^\d{4}-\d{2}-\d{2}$/.test(next)) onChange({ date: next });
          }}
        />
        <IconButton
          icon="right"
          label={t('commands.nextDay')}
          isDisabled={date >= today}
          onPress={() => onChange({ date: addDays(date, 1) })}
        />
      </span>
      <Select
        isCompact
        label={t('events.type')}
        value={type}
        options={[
          { id: 'all' as const, label: t('events.allTypes') },
          ...EVENT_ACTIONS.map((id) => ({ id, label: t(`events.actions.${id}`) })),
        ]}
        onChange={(next) => onChange({ type: next === 'all' ? undefined : next })}
      />
      <Select
        isCompact
        label={t('events.subject')}
        value={subjectId}
        options={[
          { id: '', label: t('events.allSubjects') },
          ...subjects.map(({ id, displayName }) => ({ id, label: displayName })),
        ]}
        onChange={(next) => onChange({ subject: next === '' ? undefined : next })}
      />
      {children}
    </div>
  );
}

/** The audit trail of the whole site, filtered by study, user, record type and date. */

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { personName } from '../../../src-server/study/person-name.ts';
import { studiesQuery } from '../../shared/api/queries.ts';
import { useSession } from '../../shared/api/session.ts';
import { usersQuery } from '../../shared/api/site-queries.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button, Field } from '../../shared/kit/controls.tsx';
import { Select } from '../../shared/kit/forms.tsx';
import { Empty } from '../../shared/kit/state.tsx';
import { History } from '../history/history.tsx';
import styles from './site.module.css';
import { SitePage } from './site-page.tsx';

const ENTITIES = [
  'user',
  'membership',
  'study',
  'subject',
  'recording',
  'annotation',
  'message',
  'equipment',
  'device',
  'pairing',
  'refusal',
  'export',
  'job',
  'setting',
  'webhook',
] as const;

/** Returns midnight of a date in this computer's time zone; undefined for an empty date. */
function midnight(date: string, addDays: number): number | undefined {
  if (date === '') return undefined;
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  return new Date(year, month - 1, day + addDays).getTime();
}

function Content() {
  const { t } = useWords();
  const { user } = useSession();
  const [studyId, setStudyId] = useState('');
  const [userId, setUserId] = useState('');
  const [entityType, setEntityType] = useState('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const studies = useQuery(studiesQuery(user.accountId)).data ?? [];
  const users = useQuery(usersQuery(user.accountId)).data?.items ?? [];
  const endTs = midnight(to, 1);
  const scope = studyId ? { studyId } : { accountId: user.accountId };
  const filter = {
    userId: userId || undefined,
    entityType: entityType || undefined,
    from: midnight(from, 0),
    to: endTs === undefined ? undefined : endTs - 1,
  };
  const isFiltered = [studyId, userId, entityType, from, to].some((value) => value !== '');
  const clear = () => {
    setStudyId('');
    setUserId('');
    setEntityType('');
    setFrom('');
    setTo('');
  };
  return (
    <>
      <div className={styles.filters}>
        <Select
          label={t('studies.name')}
          value={studyId}
          options={[
            { id: '', label: t('audit.everywhere') },
            ...studies.map((study) => ({ id: study.id, label: study.displayName })),
          ]}
          onChange={setStudyId}
        />
        <Select
          label={t('audit.who')}
          value={userId}
          options={[
            { id: '', label: t('audit.everyone') },
            ...users.map((one) => ({ id: one.id, label: personName(one) })),
          ]}
          onChange={setUserId}
        />
        <Select
          label={t('audit.what')}
          value={entityType}
          options={[
            { id: '', label: t('audit.everything') },
            ...ENTITIES.map((id) => ({ id: id as string, label: t(`audit.entities.${id}`) })),
          ]}
          onChange={setEntityType}
        />
        <Field label={t('audit.from')} type="date" value={from} onChange={setFrom} />
        <Field label={t('audit.to')} type="date" value={to} onChange={setTo} />
        {isFiltered && <Button onPress={clear}>{t('audit.clear')}</Button>}
      </div>
      <History scope={scope} filter={filter} caption={t('site.audit')}>
        <Empty icon="search" title={t('state.noResult')} help={t('audit.noneHelp')}>
          <Button onPress={clear}>{t('audit.clear')}</Button>
        </Empty>
      </History>
    </>
  );
}

export function Audit() {
  const { t } = useWords();
  return (
    <SitePage title={t('site.audit')} summary={t('audit.summary')} isForAdministrators>
      <Content />
    </SitePage>
  );
}

/** Uploads from devices: quarantined, refused, in progress and rejected files, filtered by study and subject. */

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { uploadsQuery } from '../../../shared/api/equipment-queries.ts';
import { studiesQuery, subjectsQuery } from '../../../shared/api/queries.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, buttonClass } from '../../../shared/kit/controls.tsx';
import { Select } from '../../../shared/kit/forms.tsx';
import { Empty, QueryView } from '../../../shared/kit/state.tsx';
import styles from '../equipment.module.css';
import { EquipmentFrame, useMayManage } from '../frame.tsx';
import { RefusalTable } from '../refusals.tsx';
import { UploadGroups } from './upload-groups.tsx';
import { UploadProgressTable } from './upload-progress.tsx';

export function Uploads() {
  const { t } = useWords();
  const { user } = useSession();
  const mayManage = useMayManage();
  const uploads = useQuery({ ...uploadsQuery(user.accountId), enabled: mayManage });
  const studies = useQuery(studiesQuery(user.accountId)).data ?? [];
  const [studyId, setStudyId] = useState('');
  const [subjectId, setSubjectId] = useState('');
  const subjectsOfStudy = subjectsQuery(studyId);
  const subjects = useQuery({ ...subjectsOfStudy, enabled: studyId !== '' });
  const shown = useMemo(
    () =>
      uploads.data?.items.filter(
        (upload) => (!studyId || upload.studyId === studyId) && (!subjectId || upload.subjectId === subjectId),
      ) ?? [],
    [uploads.data, studyId, subjectId],
  );
  const waiting = uploads.data?.items.filter(({ state }) => state === 'QUARANTINED').length;
  if (!mayManage) {
    return (
      <EquipmentFrame>
        <Empty icon="info" title={t('uploads.notAllowed')} help={t('errors.FORBIDDEN')} />
      </EquipmentFrame>
    );
  }
  return (
    <EquipmentFrame summary={waiting ? t('uploads.waiting', { count: waiting }) : undefined}>
      <UploadProgressTable />
      <QueryView query={uploads}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon="check" title={t('uploads.emptyTitle')} help={t('uploads.emptyHelp')}>
              <Link to="/equipment/devices" className={buttonClass('primary')}>
                {t('uploads.toDevices')}
              </Link>
            </Empty>
          ) : (
            <>
              <div className={styles.tools}>
                <Select
                  isCompact
                  label={t('equipment.study')}
                  value={studyId}
                  options={[
                    { id: '', label: t('uploads.allStudies') },
                    ...studies.map((study) => ({ id: study.id, label: study.displayName })),
                  ]}
                  onChange={(id) => {
                    setStudyId(id);
                    setSubjectId('');
                  }}
                />
                {studyId && (
                  <Select
                    isCompact
                    label={t('equipment.subject')}
                    value={subjectId}
                    options={[
                      { id: '', label: t('uploads.allSubjects') },
                      ...(subjects.data?.items ?? []).map((subject) => ({
                        id: subject.id,
                        label: subject.displayName,
                      })),
                    ]}
                    onChange={setSubjectId}
                  />
                )}
              </div>
              {shown.length > 0 ? (
                <UploadGroups uploads={shown} />
              ) : (
                <Empty icon="search" title={t('state.noResult')} help={t('uploads.noResultHelp')}>
                  <Button
                    onPress={() => {
                      setStudyId('');
                      setSubjectId('');
                    }}
                  >
                    {t('uploads.allStudies')}
                  </Button>
                </Empty>
              )}
            </>
          )
        }
      </QueryView>
      <RefusalTable kind="UPLOAD" />
    </EquipmentFrame>
  );
}

/** Enrols the subjects of a table in a study. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Study } from '../../../../src-server/api/contract/index.ts';
import { subjectTableHeader } from '../../../../src-server/vocabulary/row-tables.ts';
import { client } from '../../../shared/api/client.ts';
import { fileName } from '../../../shared/api/download.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Select } from '../../../shared/kit/forms.tsx';
import { isZoneName, ZoneField } from '../../../shared/kit/zone-field.tsx';
import { RowTableDialog } from '../../row-tables/row-table-dialog.tsx';

export function EnrolTable({ studies, onClose }: { studies: readonly Study[]; onClose: () => void }) {
  const { t } = useWords();
  const { user } = useSession();
  const queries = useQueryClient();
  const [studyId, setStudyId] = useState(studies[0]?.id ?? '');
  const [timezone, setTimezone] = useState(user.timezone);
  const study = studies.find(({ id }) => id === studyId);
  const zone = timezone.trim();
  const call = (csv: string, isPreview: boolean, signal?: AbortSignal) =>
    client.call('enrolSubjects', {
      params: { studyId },
      body: { csv, timezone: zone, isPreview },
      ...(signal && { signal }),
    });
  const isRunning = study?.lifecycleState === 'IN_PROGRESS';
  return (
    <RowTableDialog
      title={t('rowTables.enrolTitle')}
      intro={t(isRunning ? 'rowTables.enrolIntroRunning' : 'rowTables.enrolIntro')}
      nameLabel={t('subjectForm.name')}
      template={{
        header: subjectTableHeader(study?.subjectMetadataFields ?? []),
        fileName: fileName(study?.displayName ?? '', 'subjects.csv'),
      }}
      submitLabel={(count) => t('rowTables.enrol', { count })}
      before={
        <>
          {studies.length > 1 && (
            <Select
              label={t('subjects.study')}
              value={studyId}
              options={studies.map(({ id, displayName }) => ({ id, label: displayName }))}
              onChange={setStudyId}
            />
          )}
          <ZoneField
            label={t('rowTables.zone')}
            help={t('subjectForm.zoneHelp')}
            value={timezone}
            onChange={setTimezone}
            error={isZoneName(zone) ? undefined : t('subjectForm.problem.zone')}
          />
        </>
      }
      previewKey={[studyId, zone]}
      onPreview={(csv, signal) => call(csv, true, signal)}
      onSubmit={(csv) => call(csv, false)}
      onDone={() => {
        for (const topic of ['subject', 'study']) void queries.invalidateQueries({ queryKey: [topic, studyId] });
        onClose();
      }}
      onClose={onClose}
    />
  );
}

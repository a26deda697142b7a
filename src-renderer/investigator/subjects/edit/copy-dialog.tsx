/** The subject's own copy of everything that the site holds on them: made by a job, followed and downloaded here. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Subject, SubjectExport } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { openSigned } from '../../../shared/api/download.ts';
import { useDiagnosticText } from '../../../shared/i18n/diagnostic-text.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Pill } from '../../../shared/kit/controls.tsx';
import { Faint } from '../../../shared/kit/data-table.tsx';
import { FormProblem, InfoDialog } from '../../../shared/kit/form-dialog.tsx';
import { ProgressBar } from '../../../shared/kit/progress.tsx';
import { QueryView } from '../../../shared/kit/state.tsx';
import { STATE_TONES } from '../../exports/formats.ts';
import { useStep } from '../../jobs/job-state.ts';
import styles from './copy-dialog.module.css';

const isMaking = ({ state }: SubjectExport) => state === 'WAITING' || state === 'RUNNING';

const keyOf = (subject: Subject) => ['export', subject.studyId, subject.id];

function Copy({ item, subject }: { item: SubjectExport; subject: Subject }) {
  const { t, format } = useWords();
  const queries = useQueryClient();
  const diagnosticText = useDiagnosticText();
  const step = useStep();
  const params = { studyId: subject.studyId, subjectId: subject.id, exportId: item.id };
  const again = () => queries.invalidateQueries({ queryKey: keyOf(subject) });
  const download = useMutation({
    mutationFn: () => client.call('getSubjectExportFile', { params }),
    onSuccess: ({ href }) => openSigned(href),
  });
  const remove = useMutation({
    mutationFn: () => client.call('deleteSubjectExport', { params }),
    onSettled: again,
  });
  const time = format.moment(item.requestedTs);
  return (
    <li className={styles.copy}>
      <div>
        <span>
          {item.requestedBy ? t('subjectCopy.requested', { time, name: item.requestedBy.displayName }) : time}{' '}
          <Pill tone={STATE_TONES[item.state]}>{t(`exports.state.${item.state}`)}</Pill>{' '}
          {item.sizeBytes !== undefined && <Faint>{format.bytes(item.sizeBytes)}</Faint>}
          {item.removedBecause && <Faint>{t(`exports.removed.${item.removedBecause}`)}</Faint>}
        </span>
        {item.state === 'RUNNING' && (
          <>
            <ProgressBar
              label={t('subjectCopy.title', { name: subject.displayName })}
              done={item.progress?.done ?? 0}
              total={item.progress?.total ?? 0}
            />
            {item.progress && <small>{step(item.progress)}</small>}
          </>
        )}
        {item.error && <small>{diagnosticText(item.error)}</small>}
        <FormProblem error={download.error ?? remove.error} />
      </div>
      <div className={styles.actions}>
        {item.state === 'READY' && (
          <Button
            small
            icon="download"
            aria-label={t('subjectCopy.downloadOf', { time })}
            isDisabled={download.isPending}
            onPress={() => download.mutate()}
          >
            {t('subjectCopy.download')}
          </Button>
        )}
        {isMaking(item) ? (
          <Button small icon="close" isDisabled={remove.isPending} onPress={() => remove.mutate()}>
            {t('subjectCopy.cancel')}
          </Button>
        ) : (
          <Button
            small
            icon="trash"
            aria-label={t('subjectCopy.deleteOf', { time })}
            isDisabled={remove.isPending}
            onPress={() => remove.mutate()}
          >
            {t('subjectCopy.delete')}
          </Button>
        )}
      </div>
    </li>
  );
}

export function CopyDialog({ subject, onClose }: { subject: Subject; onClose: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const params = { studyId: subject.studyId, subjectId: subject.id };
  const copies = useQuery({
    queryKey: keyOf(subject),
    queryFn: ({ signal }) => client.call('listSubjectExports', { params, signal }),
    refetchInterval: (query) => (query.state.data?.items.some(isMaking) ? 1_000 : false),
  });
  const request = useMutation({
    mutationFn: () => client.call('requestSubjectExport', { params }),
    onSettled: () => queries.invalidateQueries({ queryKey: keyOf(subject) }),
  });
  return (
    <InfoDialog title={t('subjectCopy.title', { name: subject.displayName })} onClose={onClose}>
      <p>{t('subjectCopy.intro')}</p>
      <p>{t('subjectCopy.check')}</p>
      <p>{t('subjectCopy.kept')}</p>
      <div>
        <Button
          icon="plus"
          isDisabled={request.isPending || !copies.data || copies.data.items.some(isMaking)}
          onPress={() => request.mutate()}
        >
          {t('subjectCopy.create')}
        </Button>
      </div>
      <FormProblem error={request.error} />
      <section className={styles.list}>
        <h3>{t('subjectCopy.list')}</h3>
        <QueryView query={copies}>
          {({ items }) =>
            items.length === 0 ? (
              <Faint>{t('subjectCopy.none')}</Faint>
            ) : (
              <ul>
                {items.map((item) => (
                  <Copy key={item.id} item={item} subject={subject} />
                ))}
              </ul>
            )
          }
        </QueryView>
      </section>
    </InfoDialog>
  );
}

/** Downloads one recording: as a ZIP with one click, in the other formats from a menu. */
import { useMutation } from '@tanstack/react-query';
import type { Recording } from '../../../src-server/api/contract/index.ts';
import { client } from '../../shared/api/client.ts';
import { openSigned } from '../../shared/api/download.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { ActionMenu } from '../../shared/kit/action-menu.tsx';
import { Button } from '../../shared/kit/controls.tsx';
import { ErrorNotice } from '../../shared/kit/state.tsx';
import styles from './recordings.module.css';

const OTHER_FORMATS = ['edf', 'edf-d', 'edf-exact', 'bdf', 'wfdb', 'parquet'] as const;
const BEAT_FORMATS = ['beats-csv', 'rr-kubios', 'beats-method'] as const;
type Format = 'zip' | (typeof OTHER_FORMATS)[number] | (typeof BEAT_FORMATS)[number];

/** Whether beats can be found in it: an electrode that is not said to be on a muscle, or intervals of a strap or a pulse sensor. */
function hasBeats({ sensorConfig, physicalConfig }: Recording): boolean {
  const { sensingType, afe } = sensorConfig;
  const isInterval = sensingType === 'RR' || sensingType === 'PPI';
  return isInterval || (afe !== undefined && (physicalConfig.signal ?? 'ECG') === 'ECG');
}

export function Download({
  recording,
  isDeidentified,
  place,
}: {
  recording: Recording;
  isDeidentified: boolean;
  place: { start: string; placement: string };
}) {
  const { t } = useWords();
  const download = useMutation({
    mutationFn: (format: Format) =>
      client.call('getRecordingExport', {
        params: { studyId: recording.studyId, recordingId: recording.id },
        query: { format, deidentified: isDeidentified },
      }),
    onSuccess: (signed) => openSigned(signed.href),
  });
  if (download.error) return <ErrorNotice error={download.error} onRetry={() => download.mutate(download.variables)} />;
  return (
    <div className={styles.download}>
      <Button
        small
        icon="download"
        aria-label={t(isDeidentified ? 'recordings.downloadCodedOf' : 'recordings.downloadOf', place)}
        isDisabled={download.isPending}
        onPress={() => download.mutate('zip')}
      >
        {download.isPending ? t('recordings.preparing') : 'ZIP'}
      </Button>
      <ActionMenu
        isSmall
        label={t('recordings.otherFormats')}
        name={t('recordings.otherFormatsOf', place)}
        actions={[...OTHER_FORMATS, ...(hasBeats(recording) ? BEAT_FORMATS : [])].map((format) => ({
          id: format,
          label: t(`recordings.formats.${format}`),
          isDisabled: download.isPending,
          run: () => download.mutate(format),
        }))}
      />
      <span role="status" className="visually-hidden">
        {download.isSuccess ? t('recordings.started') : ''}
      </span>
    </div>
  );
}

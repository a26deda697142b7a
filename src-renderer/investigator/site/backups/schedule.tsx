import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { SiteSettings } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Field } from '../../../shared/kit/controls.tsx';
import { FormProblem, submitOnCtrlEnter, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Checkbox } from '../../../shared/kit/forms.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { FormFoot } from '../form-foot.tsx';
import styles from '../site.module.css';
import { useRefreshBackups } from './dialogs.tsx';
import { DriveChoice } from './drive-choice.tsx';

const card = `${panelClass} ${styles.card}`;

/** The schedule of automatic backups: when, where, and how many are kept. */
export function BackupSchedule({ schedule }: { schedule: SiteSettings['backup']['schedule'] }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const refresh = useRefreshBackups();
  const [isEnabled, setEnabled] = useState(schedule.isEnabled);
  const [timeOfDay, setTimeOfDay] = useState(schedule.timeOfDay);
  const [keepDaily, setKeepDaily] = useState(String(schedule.keepDaily));
  const [keepWeekly, setKeepWeekly] = useState(String(schedule.keepWeekly));
  const [folder, setFolder] = useState(schedule.folder ?? '');
  const save = useMutation({
    mutationFn: () =>
      client.call('updateSiteSettings', {
        body: {
          backup: {
            schedule: {
              isEnabled,
              timeOfDay,
              keepDaily: Number(keepDaily),
              keepWeekly: Number(keepWeekly),
              folder: folder.trim() === '' ? null : folder.trim(),
            },
          },
        },
      }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['setting'] });
      refresh();
    },
  });
  const fieldError = useFieldErrors(save.error);
  const errorOf = (name: string) => fieldError(`backup.schedule.${name}`);
  return (
    <form
      noValidate
      className={card}
      aria-label={t('backups.scheduleTitle')}
      onKeyDown={submitOnCtrlEnter}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <h2>{t('backups.scheduleTitle')}</h2>
      <Checkbox label={t('backups.daily')} isSelected={isEnabled} onChange={setEnabled} />
      <div className={styles.triple}>
        <Field
          label={t('backups.time')}
          type="time"
          value={timeOfDay}
          onChange={setTimeOfDay}
          error={errorOf('timeOfDay')}
        />
        <Field
          label={t('backups.keepDaily')}
          type="number"
          value={keepDaily}
          onChange={setKeepDaily}
          error={errorOf('keepDaily')}
        />
        <Field
          label={t('backups.keepWeekly')}
          type="number"
          value={keepWeekly}
          onChange={setKeepWeekly}
          error={errorOf('keepWeekly')}
        />
      </div>
      <Field
        label={t('backups.folder')}
        value={folder}
        onChange={setFolder}
        help={t('backups.folderHelp')}
        error={errorOf('folder')}
      />
      <DriveChoice folder={folder} onChoose={setFolder} />
      <p className={styles.hint}>{t('backups.keepHelp', { days: keepDaily, weeks: keepWeekly })}</p>
      <FormProblem error={save.error} />
      <FormFoot save={save} />
    </form>
  );
}

/** The removable drives that are connected, by name, for choosing a folder of backups without typing a path. */
import { useQuery } from '@tanstack/react-query';
import { drivesQuery } from '../../../shared/api/site-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button } from '../../../shared/kit/controls.tsx';
import { FieldGroup } from '../../../shared/kit/forms.tsx';
import styles from '../site.module.css';

export function DriveChoice({
  folder,
  onChoose,
}: {
  /** The folder that is chosen now. */
  folder: string;
  onChoose: (folder: string) => void;
}) {
  const { t, format } = useWords();
  const drives = useQuery(drivesQuery()).data?.items ?? [];
  if (drives.length === 0) return null;
  return (
    <FieldGroup label={t('drives.title')}>
      <div className={styles.actions}>
        {drives.map((drive) => {
          const free = drive.freeBytes === undefined ? '' : t('drives.free', { size: format.bytes(drive.freeBytes) });
          return (
            <Button
              key={drive.path}
              small
              aria-pressed={folder === drive.folder}
              isDisabled={drive.isReadOnly}
              onPress={() => onChoose(drive.folder)}
            >
              {drive.isReadOnly ? t('drives.readOnly', { name: drive.name }) : `${drive.name} ${free}`}
            </Button>
          );
        })}
      </div>
    </FieldGroup>
  );
}

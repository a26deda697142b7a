import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { Notice } from '../../shared/kit/state.tsx';

export type FilteredRecord = 'group' | 'study' | 'studyFirst' | 'subject' | 'person' | 'user';

/** Says that a filter names a record that is not there any more, and what is shown instead. */
export function FilterGone({ what, onRemove }: { what: FilteredRecord; onRemove: () => void }) {
  const { t } = useWords();
  return (
    <Notice
      tone="info"
      actions={
        <Button small onPress={onRemove}>
          {t('filters.remove')}
        </Button>
      }
    >
      {t(`filters.gone.${what}`)}
    </Notice>
  );
}

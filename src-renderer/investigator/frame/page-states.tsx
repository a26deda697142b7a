import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { ToToday } from '../../shared/kit/refused.tsx';
import { CopyDetails, Empty } from '../../shared/kit/state.tsx';

export function PageMissing() {
  const { t } = useWords();
  return (
    <Empty isPage icon="page" title={t('state.pageMissing')} help={t('state.pageMissingHelp')}>
      <ToToday />
    </Empty>
  );
}

/** Replaces a screen that threw; the frame around it keeps working. */
export function Crashed({ error }: { error: unknown }) {
  const { t } = useWords();
  return (
    <Empty isPage icon="alert" title={t('state.crashed')} help={t('state.crashedHelp')}>
      <Button kind="primary" onPress={() => location.reload()}>
        {t('state.reload')}
      </Button>
      <CopyDetails error={error instanceof Error ? error : new Error(String(error))} />
    </Empty>
  );
}

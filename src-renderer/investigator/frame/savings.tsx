/** Files that the desktop program saves: how far, where to find them, and why one could not be saved. */
import { type DesktopProgram, desktopProgram, type Saving } from '../../shared/desktop.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { ProgressBar } from '../../shared/kit/progress.tsx';
import { Notice } from '../../shared/kit/state.tsx';
import styles from './frame.module.css';
import { useProgramNews } from './program-news.ts';

const PROBLEMS = {
  'disk-full': 'saving.diskFull',
  'disk-gone': 'saving.diskGone',
  'not-allowed': 'saving.notAllowed',
  'in-use': 'saving.inUse',
  incomplete: 'saving.incomplete',
} as const;

const nextSavings = (program: DesktopProgram, seenVersion: number | null) => program.nextSavings(seenVersion);

function SavingNotice({ saving: { id, name, state, doneBytes, totalBytes, problem } }: { saving: Saving }) {
  const { t, format } = useWords();
  const end = () => void desktopProgram()?.endSaving(id);
  const dismiss = <Button onPress={end}>{t('windowCrash.dismiss')}</Button>;
  if (state === 'failed') {
    return (
      <Notice tone="bad" actions={dismiss}>
        {t('saving.failed', { name })} {t(PROBLEMS[problem ?? 'incomplete'])}
      </Notice>
    );
  }
  if (state === 'done') {
    return (
      <Notice
        tone="good"
        actions={
          <>
            <Button onPress={() => void desktopProgram()?.showSaved(id)}>{t('saving.show')}</Button>
            {dismiss}
          </>
        }
      >
        {t('saving.done', { name })}
      </Notice>
    );
  }
  return (
    <Notice tone="info" actions={<Button onPress={end}>{t('saving.stop')}</Button>}>
      {t('saving.running', { name, size: format.bytes(doneBytes) })}
      <ProgressBar label={name} done={doneBytes} total={totalBytes ?? 0} />
    </Notice>
  );
}

export function Savings() {
  const savings = useProgramNews(nextSavings)?.savings ?? [];
  return savings.map((saving) => (
    <div key={saving.id} className={styles.banner}>
      <SavingNotice saving={saving} />
    </div>
  ));
}

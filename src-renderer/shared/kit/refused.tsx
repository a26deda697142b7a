import { Link } from '@tanstack/react-router';
import { useWords } from '../i18n/i18n.ts';
import { buttonClass } from './controls.tsx';
import { Empty } from './state.tsx';

/** The way back from a page that has nothing to show. */
export function ToToday() {
  const { t } = useWords();
  return (
    <Link to="/" className={buttonClass('primary')}>
      {t('commands.goToday')}
    </Link>
  );
}

/** In place of what somebody may not see: whom to ask, and a way on. */
export function Refused({ title, help }: { title: string; help: string }) {
  return (
    <Empty icon="shield" title={title} help={help}>
      <ToToday />
    </Empty>
  );
}

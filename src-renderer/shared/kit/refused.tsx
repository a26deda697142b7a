import { Link } from '@tanstack/react-router';
import { ApiError } from '../api/queries.ts';
import { useWords } from '../i18n/i18n.ts';
import { Button, buttonClass } from './controls.tsx';
import { Empty, useTold } from './state.tsx';

/** The way back from a page that has nothing to show. */
export function ToToday() {
  const { t } = useWords();
  return (
    <Link to="/" className={buttonClass('primary')}>
      {t('commands.goToday')}
    </Link>
  );
}

/** The way on from a page that shows nothing until there is a study. */
export function ToStudies() {
  const { t } = useWords();
  return (
    <Link to="/studies" className={buttonClass('primary')}>
      {t('state.toStudies')}
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

/** True for what is not at this address, or not for whoever asks: the site does not tell which. */
export const isNotHere = (error: Error | null): error is ApiError => error instanceof ApiError && error.status === 404;

/** In place of a record that is not there or not theirs: who gives access, and a way on. */
export function NotHere({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { t } = useWords();
  useTold(error);
  return (
    <Empty icon="shield" isPage title={t('state.noAccess')} help={t('state.noAccessHelp')}>
      <ToToday />
      <Button onPress={onRetry}>{t('state.retry')}</Button>
    </Empty>
  );
}

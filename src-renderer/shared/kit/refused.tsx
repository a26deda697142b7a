/** Pages for what a user may not see or what does not exist, with a way to continue. */
import { Link } from '@tanstack/react-router';
import { ApiError } from '../api/queries.ts';
import { useWords } from '../i18n/i18n.ts';
import { Button, buttonClass } from './controls.tsx';
import { Empty, useErrorShown } from './state.tsx';

/** Link to Today, for pages that have nothing to show. */
export function ToToday() {
  const { t } = useWords();
  return (
    <Link to="/" className={buttonClass('primary')}>
      {t('commands.goToday')}
    </Link>
  );
}

/** Link to the studies, for pages that are empty until there is a study. */
export function ToStudies() {
  const { t } = useWords();
  return (
    <Link to="/studies" className={buttonClass('primary')}>
      {t('state.toStudies')}
    </Link>
  );
}

/** Replaces a page that the user may not see: explains who can give access, and links to Today. */
export function Refused({ title, help }: { title: string; help: string }) {
  return (
    <Empty icon="shield" title={title} help={help}>
      <ToToday />
    </Empty>
  );
}

/** Returns whether a record does not exist or is not accessible. The site answers 404 to both on purpose. */
export const isNotHere = (error: Error | null): error is ApiError => error instanceof ApiError && error.status === 404;

/** Replaces a record that does not exist or is not accessible: explains who can give access, and links to Today. */
export function NotHere({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const { t } = useWords();
  useErrorShown(error);
  return (
    <Empty icon="shield" isPage title={t('state.noAccess')} help={t('state.noAccessHelp')}>
      <ToToday />
      <Button onPress={onRetry}>{t('state.retry')}</Button>
    </Empty>
  );
}

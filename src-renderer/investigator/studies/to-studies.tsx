import { Link } from '@tanstack/react-router';
import { useWords } from '../../shared/i18n/i18n.ts';
import { buttonClass } from '../../shared/kit/controls.tsx';

/** The way on from a page that shows nothing before there is a study. */
export function ToStudies() {
  const { t } = useWords();
  return (
    <Link to="/studies" className={buttonClass('primary')}>
      {t('state.toStudies')}
    </Link>
  );
}

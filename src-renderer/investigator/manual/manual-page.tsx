/** What both pages of the manual share: the head with the tabs, and the way to the entry that a link names. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Button } from '../../shared/kit/controls.tsx';
import { Page } from '../../shared/kit/page.tsx';
import { TabLinks } from '../../shared/kit/tab-links.tsx';
import styles from './manual.module.css';

export function ManualPage({ summary, children }: { summary: string; children: ReactNode }) {
  const { t } = useWords();
  return (
    <Page
      title={t('manual.title')}
      summary={summary}
      actions={
        <span className={styles.screenOnly}>
          <Button onPress={() => window.print()}>{t('manual.print')}</Button>
        </span>
      }
    >
      <div className={styles.screenOnly}>
        <TabLinks label={t('manual.tabs')}>
          <Link to="/manual" activeOptions={{ exact: true, includeSearch: false }}>
            {t('manual.tasks')}
          </Link>
          <Link to="/manual/metrics" activeOptions={{ includeSearch: false }}>
            {t('manual.dictionary')}
          </Link>
        </TabLinks>
      </div>
      {children}
    </Page>
  );
}

/** Scrolls to an element once it is the one that a link names. */
export function useShown<T extends HTMLElement>(isShown: boolean) {
  const ref = useRef<T>(null);
  useEffect(() => {
    if (isShown) ref.current?.scrollIntoView({ block: 'start' });
  }, [isShown]);
  return ref;
}

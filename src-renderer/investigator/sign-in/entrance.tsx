/** The layout of the screens before sign-in: product name, intended-use notice and language. */
import type { ReactNode } from 'react';
import { changeLanguage, useWords } from '../../shared/i18n/i18n.ts';
import { Segments } from '../../shared/kit/controls.tsx';
import { Mark } from '../../shared/kit/icon.tsx';
import { setPreference } from '../../shared/preferences.ts';
import styles from './entrance.module.css';

export function Entrance({ children }: { children: ReactNode }) {
  const { t, language } = useWords();
  return (
    <main className={styles.page}>
      <div className={styles.side}>
        <span className={styles.brand}>
          <Mark /> {t('app.name')}
        </span>
        <svg className={styles.trace} viewBox="0 0 400 120" fill="none" aria-hidden="true" focusable="false">
          <path
            d="M0 70h52c6 0 8-9 14-9s8 9 14 9h10l5 9 9-62 9 84 8-31h14c9 0 12-16 22-16s13 16 22 16h32c6 0 8-9 14-9s8 9 14 9h10l5 9 9-62 9 84 8-31h14c9 0 12-16 22-16s13 16 22 16h47"
            stroke="currentColor"
            strokeWidth="1.6"
            strokeLinejoin="round"
          />
        </svg>
        <p>{t('app.retrospective')}</p>
      </div>
      <div className={styles.panel}>
        <div className={styles.column}>
          {children}
          <div className={styles.language}>
            <Segments
              label={t('account.language')}
              value={language}
              options={[
                { id: 'en', label: 'English' },
                { id: 'ja', label: '日本語' },
              ]}
              onChange={(chosen) => {
                setPreference('language', chosen);
                void changeLanguage(chosen);
              }}
            />
          </div>
        </div>
      </div>
    </main>
  );
}

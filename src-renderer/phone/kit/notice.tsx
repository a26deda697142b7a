/** A sentence that stands out, with its meaning in a word and an icon as well as in a colour. */
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import styles from './notice.module.css';

export type Tone = 'info' | 'good' | 'warn' | 'bad';

const ICONS: Record<Tone, IconName> = { info: 'info', good: 'check', warn: 'warn', bad: 'warn' };

export function Notice({
  tone = 'info',
  icon = ICONS[tone],
  title,
  children,
  action,
}: {
  tone?: Tone;
  icon?: IconName;
  title?: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`${styles.notice} ${styles[tone]}`}>
      <Icon name={icon} />
      <div className={styles.body}>
        {title && <p className={styles.title}>{title}</p>}
        {children && <p>{children}</p>}
        {action && <div className={styles.action}>{action}</div>}
      </div>
    </div>
  );
}

/** A failure, read out when it appears. The region stays in the page: only then do screen readers notice its text. */
export function Failure({ text }: { text: string | undefined }) {
  return (
    <div role="alert" className={styles.region}>
      {text !== undefined && <Notice tone="bad">{text}</Notice>}
    </div>
  );
}

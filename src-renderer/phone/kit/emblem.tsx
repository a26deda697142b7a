/** A large round icon above a sentence that stands alone on its screen. */
import styles from './emblem.module.css';
import { Icon, type IconName } from './icon.tsx';

export function Emblem({ icon, tone = 'accent' }: { icon: IconName; tone?: 'accent' | 'good' | 'warn' }) {
  return (
    <span className={`${styles.emblem} ${styles[tone]}`}>
      <Icon name={icon} size={44} />
    </span>
  );
}

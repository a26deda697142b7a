/** Buttons and links that look like buttons: at least 48 px high, the primary one as wide as the screen. */
import type { ComponentProps, ReactNode } from 'react';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';
import { hrefOf } from './route.ts';

export type Look = 'primary' | 'secondary' | 'quiet' | 'danger';

interface Shared {
  look?: Look;
  icon?: IconName;
  children: ReactNode;
}

const classOf = (look: Look) => `${styles.button} ${styles[look]}`;

export function Button({ look = 'secondary', icon, children, ...rest }: Shared & ComponentProps<'button'>) {
  return (
    <button type="button" {...rest} className={classOf(look)}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  );
}

export function ButtonLink({ look = 'secondary', icon, to, children }: Shared & { to: string }) {
  return (
    <a href={hrefOf(to)} className={classOf(look)}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </a>
  );
}

/** A square button with an icon alone; `label` is its name. */
export function IconButton({ icon, label, ...rest }: { icon: IconName; label: string } & ComponentProps<'button'>) {
  return (
    <button type="button" {...rest} className={styles.icon} aria-label={label}>
      <Icon name={icon} />
    </button>
  );
}

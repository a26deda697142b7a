/** What the equipment pages share: heading, tabs, the link to pairing, and the permission to manage. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { uploadsQuery } from '../../shared/api/equipment-queries.ts';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useSession } from '../../shared/api/session.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { buttonClass } from '../../shared/kit/controls.tsx';
import { Icon } from '../../shared/kit/icon.tsx';
import { Page } from '../../shared/kit/page.tsx';
import { TabLinks } from '../../shared/kit/tab-links.tsx';
import styles from './equipment.module.css';

export function useMayManage(): boolean {
  return usePermissions()('equipment.manage');
}

/** A button-like link to the pairing page. With a subject, the paired device is handed out to them. */
export function PairLink({ label, subject }: { label: string; subject?: { studyId: string; subjectId: string } }) {
  return (
    <Link to="/equipment/pair" search={subject} className={buttonClass('primary')}>
      <Icon name="plus" />
      {label}
    </Link>
  );
}

/** Number of quarantined files; 0 for a user who may not decide about them. */
function useQuarantineCount(): number {
  const { user } = useSession();
  const mayManage = useMayManage();
  const { data } = useQuery({ ...uploadsQuery(user.accountId), enabled: mayManage });
  return data?.items.filter(({ state }) => state === 'QUARANTINED').length ?? 0;
}

export function EquipmentFrame({
  summary,
  actions,
  children,
}: {
  summary?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { t, format } = useWords();
  const mayManage = useMayManage();
  const waiting = useQuarantineCount();
  return (
    <Page title={t('equipment.title')} summary={summary} actions={actions}>
      <TabLinks label={t('equipment.views')}>
        <Link to="/equipment" activeOptions={{ exact: true }}>
          {t('equipment.all')}
        </Link>
        <Link to="/equipment/devices">{t('equipment.devices')}</Link>
        {mayManage && <Link to="/equipment/docks">{t('equipment.docks')}</Link>}
        {mayManage && (
          <Link to="/equipment/uploads">
            {t('equipment.uploads')}
            {waiting > 0 && (
              <span className={styles.badge}>
                <span aria-hidden="true">{format.number(waiting)}</span>
                <span className="visually-hidden">{t('uploads.waiting', { count: waiting })}</span>
              </span>
            )}
          </Link>
        )}
      </TabLinks>
      {children}
    </Page>
  );
}

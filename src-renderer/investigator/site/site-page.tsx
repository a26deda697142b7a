import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { usePermissions } from '../../shared/api/permissions.ts';
import { useWords } from '../../shared/i18n/i18n.ts';
import { Page } from '../../shared/kit/page.tsx';
import { Refused } from '../../shared/kit/refused.tsx';
import { TabLinks } from '../../shared/kit/tab-links.tsx';

export const SITE_TABS = [
  { to: '/site', label: 'site.state', isOpen: true },
  { to: '/site/jobs', label: 'jobs.title', isOpen: true },
  { to: '/site/users', label: 'site.users', isOpen: false },
  { to: '/site/backups', label: 'site.backups', isOpen: false },
  { to: '/site/mail', label: 'site.mail', isOpen: false },
  { to: '/site/webhooks', label: 'site.webhooks', isOpen: false },
  { to: '/site/network', label: 'site.network', isOpen: false },
  { to: '/site/audit', label: 'site.audit', isOpen: false },
  { to: '/site/access', label: 'site.access', isOpen: false },
] as const;

/** A page of the Site section under its tabs. Tabs that are not `isOpen` are for administrators only. */
export function SitePage({
  title,
  summary,
  actions,
  isForAdministrators,
  children,
}: {
  title: string;
  summary?: ReactNode;
  actions?: ReactNode;
  isForAdministrators?: boolean;
  children: ReactNode;
}) {
  const { t } = useWords();
  const isAdministrator = usePermissions()('site.manage');
  const isRefused = isForAdministrators && !isAdministrator;
  return (
    <div>
      <TabLinks place="bar" label={t('site.tabs')}>
        {SITE_TABS.filter((tab) => tab.isOpen || isAdministrator).map((tab) => (
          <Link key={tab.to} to={tab.to} activeOptions={{ exact: tab.to === '/site' }}>
            {t(tab.label)}
          </Link>
        ))}
      </TabLinks>
      <Page title={title} summary={summary} actions={isRefused ? undefined : actions}>
        {isRefused ? <Refused title={t('site.forbiddenTitle')} help={t('site.forbiddenHelp')} /> : children}
      </Page>
    </div>
  );
}

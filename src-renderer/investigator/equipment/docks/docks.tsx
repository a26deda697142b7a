/** Docked recorders and watched folders: what is there, what waits for a person, what is being copied. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Docks } from '../../../../src-server/api/contract/index.ts';
import { docksQuery, transfersQuery } from '../../../shared/api/dock-queries.ts';
import { usePermissions } from '../../../shared/api/permissions.ts';
import { useSession } from '../../../shared/api/session.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, buttonClass } from '../../../shared/kit/controls.tsx';
import { Empty, Notice, QueryView } from '../../../shared/kit/state.tsx';
import { EquipmentFrame, useMayManage } from '../frame.tsx';
import { DockSettingsDialog } from './dock-settings.tsx';
import { DriveTable, FolderTable } from './dock-tables.tsx';
import { TransferGroups } from './transfer-groups.tsx';

/** A site looks every two seconds. */
const STALE_MS = 30_000;

export function DocksScreen() {
  const { t } = useWords();
  const { user } = useSession();
  const mayManage = useMayManage();
  const maySet = usePermissions()('site.manage');
  const docks = useQuery({ ...docksQuery(user.accountId), enabled: mayManage });
  const transfers = useQuery({ ...transfersQuery(user.accountId), enabled: mayManage });
  const [isSetting, setSetting] = useState(false);
  if (!mayManage) {
    return (
      <EquipmentFrame>
        <Empty icon="info" title={t('docks.notAllowed')} help={t('errors.FORBIDDEN')} />
      </EquipmentFrame>
    );
  }
  const waiting = transfers.data?.items.filter(({ state }) => state === 'OFFERED' || state === 'QUESTION').length;
  return (
    <EquipmentFrame
      summary={waiting ? t('docks.summary', { count: waiting }) : undefined}
      actions={maySet && <Button onPress={() => setSetting(true)}>{t('docks.settings')}</Button>}
    >
      <QueryView query={docks}>
        {(shown) => (
          <>
            <Stale docks={shown} />
            {!shown.isOn && <Notice tone="info">{t('docks.off')}</Notice>}
            <QueryView query={transfers}>
              {({ items }) => (
                <>
                  {shown.isOn && items.length === 0 && shown.docks.length === 0 && (
                    <Empty icon="info" title={t('docks.emptyTitle')} help={t('docks.emptyHelp')}>
                      {maySet ? (
                        <Button onPress={() => setSetting(true)}>{t('docks.settings')}</Button>
                      ) : (
                        <Link to="/equipment" className={buttonClass()}>
                          {t('nav.equipment')}
                        </Link>
                      )}
                    </Empty>
                  )}
                  <DriveTable docks={shown.docks} />
                  <TransferGroups transfers={items} />
                  <FolderTable folders={shown.folders} />
                </>
              )}
            </QueryView>
          </>
        )}
      </QueryView>
      {isSetting && <DockSettingsDialog onClose={() => setSetting(false)} />}
    </EquipmentFrame>
  );
}

/** The answer is of now, and the site has not looked for a while. */
function Stale({ docks: { lookedTs } }: { docks: Docks }) {
  const { t, format } = useWords();
  if (lookedTs === undefined || Date.now() - lookedTs < STALE_MS) return null;
  return <Notice tone="warn">{t('docks.stale', { time: format.moment(lookedTs) })}</Notice>;
}

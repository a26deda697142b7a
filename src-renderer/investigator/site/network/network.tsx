/** The site on the local network: the device listener, its key, and whether other computers may open the desk. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Network as NetworkState } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { networkQuery } from '../../../shared/api/equipment-queries.ts';
import { settingsQuery } from '../../../shared/api/site-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, buttonClass, Field } from '../../../shared/kit/controls.tsx';
import { FormDialog, FormProblem, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { Checkbox, CopyButton } from '../../../shared/kit/forms.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Notice, QueryView } from '../../../shared/kit/state.tsx';
import styles from '../site.module.css';
import { SitePage } from '../site-page.tsx';
import { Listener, useNetworkRefresh } from './listener.tsx';
import { PhoneAddresses } from './phone-addresses.tsx';

const card = `${panelClass} ${styles.card}`;

/** Groups a fingerprint by four characters, so that people can read it aloud. */
const readable = (fingerprint: string) => fingerprint.match(/.{1,4}/g)?.join(' ') ?? fingerprint;

function ReplaceKey({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const refresh = useNetworkRefresh();
  const [reason, setReason] = useState('');
  const replace = useMutation({
    mutationFn: () => client.call('replaceKey', { body: { reason } }),
    onSuccess: () => {
      refresh();
      onClose();
    },
  });
  const fieldError = useFieldErrors(replace.error);
  return (
    <FormDialog
      title={t('network.replaceTitle')}
      submitLabel={t('network.replace')}
      mutation={replace}
      isDisabled={reason.trim() === ''}
      onSubmit={() => replace.mutate()}
      onClose={onClose}
    >
      <p>{t('network.replaceEffect')}</p>
      <Field label={t('network.reason')} value={reason} onChange={setReason} error={fieldError('reason')} />
    </FormDialog>
  );
}

function Key({ pins }: { pins: NonNullable<NetworkState['pins']> }) {
  const { t, format } = useWords();
  const refresh = useNetworkRefresh();
  const [isReplacing, setReplacing] = useState(false);
  const keep = useMutation({ mutationFn: () => client.call('keepKey'), onSuccess: refresh });
  return (
    <section className={card} aria-label={t('network.key')}>
      <h2>{t('network.key')}</h2>
      <p className={styles.hint}>{t('network.keyHelp')}</p>
      <p className={styles.mono}>{readable(pins.fingerprint)}</p>
      {pins.next && (
        <Notice tone="info">
          <p>{t('network.nextKey', { time: format.moment(pins.next.fromTs) })}</p>
          <p className={styles.mono}>{readable(pins.next.fingerprint)}</p>
        </Notice>
      )}
      {pins.previous && <p>{t('network.previousKey', { time: format.moment(pins.previous.untilTs) })}</p>}
      <FormProblem error={keep.error} />
      <div className={styles.actions}>
        <CopyButton text={pins.fingerprint} label={t('form.copy')} />
        {pins.next ? (
          <Button small isDisabled={keep.isPending} onPress={() => keep.mutate()}>
            {t('network.keepKey')}
          </Button>
        ) : (
          <Button small onPress={() => setReplacing(true)}>
            {t('network.replace')}
          </Button>
        )}
      </div>
      {isReplacing && <ReplaceKey onClose={() => setReplacing(false)} />}
    </section>
  );
}

/** Opens the desk to the network after a confirmation, and closes it at once. */
function DeskOpen() {
  const { t } = useWords();
  const refresh = useNetworkRefresh();
  const settings = useQuery(settingsQuery());
  const [isAsking, setAsking] = useState(false);
  const save = useMutation({
    mutationFn: (deskOpen: boolean) => client.call('updateSiteSettings', { body: { lan: { deskOpen } } }),
    onSuccess: () => setAsking(false),
    onSettled: refresh,
  });
  return (
    <section className={card} aria-label={t('network.desk')}>
      <h2>{t('network.desk')}</h2>
      <QueryView query={settings}>
        {({ lan }) => (
          <Checkbox
            label={t('network.deskOpen')}
            help={t('network.deskOpenHelp')}
            isSelected={lan.deskOpen}
            isDisabled={save.isPending}
            onChange={(open) => (open ? setAsking(true) : save.mutate(false))}
          />
        )}
      </QueryView>
      {!isAsking && <FormProblem error={save.error} />}
      {isAsking && (
        <FormDialog
          title={t('network.openTitle')}
          submitLabel={t('network.open')}
          mutation={save}
          onSubmit={() => save.mutate(true)}
          onClose={() => setAsking(false)}
        >
          <p>{t('network.openEffect')}</p>
        </FormDialog>
      )}
    </section>
  );
}

/** Leads to the certificates for browsers. */
function TrustLink() {
  const { t } = useWords();
  return (
    <section className={card} aria-label={t('trust.title')}>
      <h2>{t('trust.title')}</h2>
      <p className={styles.hint}>{t('trust.summary')}</p>
      <div className={styles.actions}>
        <Link to="/site/network/trust" className={buttonClass()}>
          {t('trust.open')}
        </Link>
      </div>
    </section>
  );
}

function Content() {
  const network = useQuery(networkQuery());
  return (
    <QueryView query={network}>
      {(data) => (
        <div className={styles.cards}>
          <Listener network={data} />
          <div className={styles.column}>
            <PhoneAddresses nameUrl={data.nameUrl} />
            {data.pins && <Key pins={data.pins} />}
            {data.state === 'listening' && <TrustLink />}
            <DeskOpen />
          </div>
        </div>
      )}
    </QueryView>
  );
}

export function Network() {
  const { t } = useWords();
  return (
    <SitePage title={t('site.network')} summary={t('network.summary')} isForAdministrators>
      <Content />
    </SitePage>
  );
}

/** Certificates that browsers of phones trust: a walk through installing the site's authority, and the clinic's own certificate. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Certificates } from '../../../../src-server/api/contract/index.ts';
import { client } from '../../../shared/api/client.ts';
import { certificatesQuery } from '../../../shared/api/equipment-queries.ts';
import { useWords } from '../../../shared/i18n/i18n.ts';
import { Button, Field, Pill, Segments } from '../../../shared/kit/controls.tsx';
import { FormDialog, useFieldErrors } from '../../../shared/kit/form-dialog.tsx';
import { CopyButton, Select } from '../../../shared/kit/forms.tsx';
import { panelClass } from '../../../shared/kit/page.tsx';
import { Notice, QueryView } from '../../../shared/kit/state.tsx';
import styles from '../site.module.css';
import { SitePage } from '../site-page.tsx';
import { OwnCertificate } from './own-certificate.tsx';
import own from './trust.module.css';

const card = `${panelClass} ${styles.card}`;

/** As Android and iOS show it: pairs of capitals, eight to a line. */
function fingerprintLines(fingerprint: string): string[] {
  const pairs = fingerprint.toUpperCase().match(/../g) ?? [];
  return [0, 8, 16, 24].map((start) => pairs.slice(start, start + 8).join(' '));
}

type System = 'ANDROID' | 'IOS';

function Steps({ system, name }: { system: System; name: string }) {
  const { t } = useWords();
  const steps = ['first', 'second', 'third', 'fourth', 'fifth'] as const;
  return (
    <ol className={styles.numbered}>
      {steps.map((step) => (
        <li key={step}>{t(`trust.steps.${system}.${step}`, { name })}</li>
      ))}
    </ol>
  );
}

/** Phones that opened the site with a trusted connection; polled with the page. */
function Seen({ calls }: { calls: Certificates['trustedCalls'] }) {
  const { t, format } = useWords();
  const [last] = calls;
  return (
    <div role="status">
      {last ? (
        <Notice tone="good">
          {t(`trust.seen.${last.system}`, { time: format.clock(last.ts), address: last.address })}
        </Notice>
      ) : (
        <Notice tone="info">{t('trust.seen.none')}</Notice>
      )}
    </div>
  );
}

function Install({ certificates }: { certificates: Certificates }) {
  const { t } = useWords();
  const { authority, trustPages, trustedCalls, uncovered } = certificates;
  const { name = '', fingerprint = '' } = authority;
  const [system, setSystem] = useState<System>('ANDROID');
  const [chosen, setChosen] = useState<string>();
  const page = trustPages.find(({ url }) => url === chosen) ?? trustPages[0];
  return (
    <section className={card} aria-label={t('trust.install')}>
      <h2>{t('trust.install')}</h2>
      <p className={styles.hint}>{t('trust.installHelp')}</p>
      {!page && <Notice tone="warn">{t('trust.noPage')}</Notice>}
      <div className={own.install}>
        <div className={own.steps}>
          <Segments
            label={t('trust.system')}
            value={system}
            options={[
              { id: 'ANDROID', label: 'Android' },
              { id: 'IOS', label: 'iPhone, iPad' },
            ]}
            onChange={setSystem}
          />
          <Steps system={system} name={name} />
          <Seen calls={trustedCalls} />
        </div>
        {page && (
          <div className={own.code}>
            <img
              className={own.qr}
              src={`data:image/svg+xml,${encodeURIComponent(page.qrSvg)}`}
              alt={t('trust.qr', { url: page.url })}
            />
            {trustPages.length > 1 && (
              <Select
                label={t('trust.address')}
                value={page.url}
                options={trustPages.map(({ url }) => ({ id: url, label: new URL(url).host }))}
                onChange={setChosen}
              />
            )}
            <span className={styles.mono}>{page.url}</span>
          </div>
        )}
      </div>
      <h3>{t('trust.fingerprint')}</h3>
      <p className={own.fingerprint}>
        {fingerprintLines(fingerprint).map((line) => (
          <span key={line}>{line}</span>
        ))}
      </p>
      <p className={styles.hint}>{t('trust.fingerprintHelp')}</p>
      <div className={styles.actions}>
        <CopyButton text={fingerprint} label={t('form.copy')} />
        <a href="/phone/trust/authority.crt" download>
          {t('trust.download')}
        </a>
      </div>
      {uncovered.length > 0 && <Notice tone="warn">{t('trust.uncovered', { addresses: uncovered.join(', ') })}</Notice>}
    </section>
  );
}

function ReplaceAuthority({ onClose }: { onClose: () => void }) {
  const { t } = useWords();
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const replace = useMutation({
    mutationFn: () => client.call('replaceAuthority', { body: { reason } }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['certificates'] });
      onClose();
    },
  });
  const fieldError = useFieldErrors(replace.error);
  return (
    <FormDialog
      title={t('trust.replace')}
      submitLabel={t('trust.replace')}
      mutation={replace}
      isDisabled={reason.trim() === ''}
      onSubmit={() => replace.mutate()}
      onClose={onClose}
    >
      <p>{t('trust.replaceEffect')}</p>
      <Field label={t('network.reason')} value={reason} onChange={setReason} error={fieldError('reason')} />
    </FormDialog>
  );
}

function Authority({ certificates }: { certificates: Certificates }) {
  const { t, format } = useWords();
  const [isReplacing, setReplacing] = useState(false);
  const { authority, current } = certificates;
  const { state, name, notAfterTs, hostName = '' } = authority;
  return (
    <section className={card} aria-label={t('trust.authority')}>
      <div className={styles.cardHead}>
        <h2>{t('trust.authority')}</h2>
        <Pill tone={state === 'READY' ? 'good' : 'bad'}>{t(`trust.states.${state}`)}</Pill>
      </div>
      {state !== 'READY' && <Notice tone="bad">{t('trust.notReady')}</Notice>}
      {notAfterTs !== undefined && (
        <dl className={styles.facts}>
          <dt>{t('trust.name')}</dt>
          <dd>{name}</dd>
          <dt>{t('trust.validUntil')}</dt>
          <dd>{format.date(new Date(notAfterTs).toISOString().slice(0, 10))}</dd>
          <dt>{t('trust.currentUntil')}</dt>
          <dd>{format.moment(current.notAfterTs)}</dd>
        </dl>
      )}
      {state === 'READY' && (
        <>
          <h3>{t('trust.limits')}</h3>
          <ul className={own.limits}>
            <li>{t('trust.limit.can', { name: hostName })}</li>
            <li>{t('trust.limit.cannot')}</li>
            <li>{t('trust.limit.stolen')}</li>
            <li>{t('trust.limit.systems')}</li>
          </ul>
          <h3>{t('trust.removing')}</h3>
          <ul className={own.limits}>
            <li>{t('trust.remove.ANDROID')}</li>
            <li>{t('trust.remove.IOS')}</li>
          </ul>
        </>
      )}
      <div className={styles.actions}>
        <Button small onPress={() => setReplacing(true)}>
          {t('trust.replace')}
        </Button>
      </div>
      {isReplacing && <ReplaceAuthority onClose={() => setReplacing(false)} />}
    </section>
  );
}

function Content() {
  const certificates = useQuery(certificatesQuery());
  return (
    <QueryView query={certificates}>
      {(data) => (
        <div className={own.page}>
          {data.authority.state === 'READY' && <Install certificates={data} />}
          <div className={styles.cards}>
            <Authority certificates={data} />
            <OwnCertificate certificates={data} />
          </div>
        </div>
      )}
    </QueryView>
  );
}

export function Trust() {
  const { t } = useWords();
  return (
    <SitePage
      title={t('trust.title')}
      summary={t('trust.summary')}
      actions={<Link to="/site/network">{t('site.network')}</Link>}
      isForAdministrators
    >
      <Content />
    </SitePage>
  );
}

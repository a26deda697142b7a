/**
 * Serves the page on which phones learn to trust the site, to anyone who can reach it: the certificate is public, and a phone that
 * does not trust it cannot sign in yet.
 */
import { type Request, type RequestHandler, Router } from 'express';
import type { ApiDeps, CertificatesPort } from '../deps.ts';
import { TRUST_SCRIPT, TRUST_STYLE, TRUST_WORKER } from './assets.ts';
import { type Language, trustPage } from './page.ts';
import {
  CERTIFICATE_PATH,
  PROFILE_PATH,
  SCRIPT_PATH,
  SEEN_PATH,
  STYLE_PATH,
  TRUST_PATH,
  WORKER_PATH,
} from './paths.ts';
import { mobileConfig } from './profile.ts';
import { WORDS } from './words.ts';

type System = Parameters<CertificatesPort['noteTrusted']>[1];

export function mountTrustPages({ lan, siteName }: Pick<ApiDeps, 'lan' | 'siteName'>): Router {
  const { certificates } = lan;
  const router = Router();
  router.use(TRUST_PATH, (_request, response, next) => {
    response.setHeader('cache-control', 'no-store');
    next();
  });
  router.get(TRUST_PATH, (request, response) => {
    const language = languageOf(request);
    const root = certificates.root();
    const otherUrl = otherAddress(lan.network().urls, root?.hostName, request);
    const page = trustPage({ language, siteName, root, system: systemOf(request), otherUrl });
    response.setHeader('content-language', language);
    response.type('html').send(page);
  });
  const text = (mimeType: string, content: string): RequestHandler => {
    return (_request, response) => {
      response.type(mimeType).send(content);
    };
  };
  router.get(STYLE_PATH, text('css', TRUST_STYLE));
  router.get(SCRIPT_PATH, text('js', TRUST_SCRIPT));
  router.get(WORKER_PATH, (request, response) => {
    const { other } = request.query;
    // The worker may reach the other address that its query names, and nothing but it.
    if (
      typeof other === 'string' &&
      lan.network().urls.some((url) => samePlace(url, other, certificates.root()?.hostName))
    ) {
      response.setHeader('content-security-policy', `default-src 'none'; connect-src 'self' ${new URL(other).origin}`);
    }
    response.type('js').send(TRUST_WORKER);
  });
  router.get(CERTIFICATE_PATH, (_request, response, next) => {
    const root = certificates.root();
    if (!root) return next();
    response.attachment('outpost.crt');
    response.setHeader('content-type', 'application/x-x509-ca-cert');
    response.send(Buffer.from(root.der));
  });
  router.get(PROFILE_PATH, (request, response, next) => {
    const root = certificates.root();
    if (!root) return next();
    response.attachment('outpost.mobileconfig');
    response.setHeader('content-type', 'application/x-apple-aspen-config');
    response.send(Buffer.from(mobileConfig(root, WORDS[languageOf(request)].profileHelp)));
  });
  router.post(SEEN_PATH, (request, response) => {
    certificates.noteTrusted(request.socket.remoteAddress ?? '', systemOf(request));
    response.status(204).end();
  });
  return router;
}

function languageOf(request: Request): Language {
  const { lang } = request.query;
  if (lang === 'en' || lang === 'ja') return lang;
  return request.acceptsLanguages('en', 'ja') === 'ja' ? 'ja' : 'en';
}

function systemOf(request: Request): System {
  const agent = request.get('user-agent') ?? '';
  if (/Android/.test(agent)) return 'ANDROID';
  return /iPhone|iPad|iPod/.test(agent) ? 'IOS' : 'OTHER';
}

/** The certificate's address under the mDNS name of the site, or under an address for a page that has the name. */
function otherAddress(urls: readonly string[], hostName: string | undefined, request: Request): string | undefined {
  const [first] = urls;
  if (first === undefined || hostName === undefined) return undefined;
  const { hostname, port } = new URL(`https://${request.get('host') ?? ''}`);
  const { port: lanPort } = new URL(first);
  const base = hostname === hostName ? first : `https://${hostName}:${port || lanPort}`;
  return `${base}${CERTIFICATE_PATH}`;
}

function samePlace(url: string, other: string, hostName: string | undefined): boolean {
  if (!URL.canParse(other)) return false;
  const { hostname, protocol } = new URL(other);
  return protocol === 'https:' && (hostname === new URL(url).hostname || hostname === hostName);
}

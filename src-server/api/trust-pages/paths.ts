/** The page on which phones learn to trust the site, and what lies below it. Nobody signs in here. */
/** The app itself: the way back, without the sign-in link, which the app keeps for its page. */
export const APP_PATH = '/phone/';
export const TRUST_PATH = '/phone/trust';
export const CERTIFICATE_PATH = `${TRUST_PATH}/authority.crt`;
export const PROFILE_PATH = `${TRUST_PATH}/authority.mobileconfig`;
export const STYLE_PATH = `${TRUST_PATH}/style.css`;
export const SCRIPT_PATH = `${TRUST_PATH}/script.js`;
export const WORKER_PATH = `${TRUST_PATH}/worker.js`;
export const SEEN_PATH = `${TRUST_PATH}/seen`;

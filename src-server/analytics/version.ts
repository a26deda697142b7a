/**
 * Version of everything between samples and stored results. Rises with every change that can alter a value, so that
 * results of different versions can be told apart and computed anew.
 */
export const ANALYTICS_VERSION = '9';

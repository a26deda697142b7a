/** The fixed ids of Get channels. */
export const PIPELINE_ID = 'fdd051b8-d753-11e6-ab51-34363bc84032';
export const MASTER_ID = '4e8a80fd-4778-11e6-a313-34363bc3dbe2';

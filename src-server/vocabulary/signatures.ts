/** What can be signed, and what a signature can mean. */

export const SIGNED_KINDS = ['study-definition', 'subject-day', 'recording', 'export', 'study-lock'] as const;

/** 21 CFR 11.50(a)(3): the meaning is part of the signature. `LOCKED` is that of the signature under a lock, and of no other. */
export const SIGNATURE_MEANINGS = ['AUTHORED', 'REVIEWED', 'APPROVED', 'RESPONSIBLE', 'LOCKED'] as const;

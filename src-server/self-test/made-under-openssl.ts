/**
 * Values that Node with OpenSSL made once. A site moves between the desktop program, whose cryptography is BoringSSL, and the
 * headless one: each must read what the other wrote. The keys belong to no site.
 */

export const SECRET = Buffer.alloc(32, 7);

export const SEALED = {
  text: 'Sealed under OpenSSL.',
  sealed: 'v1.sYVzrJsjqQSur5Efx4B0RcWmShRSn4UClryVjYWPkGb/TdvDjKXtMCwTWntZftBo3w==',
};

export const PASSWORD = {
  password: 'correct horse battery staple',
  hash: '$argon2id$v=19$m=19456,t=2,p=1$If/uwaqc3/p3hO+rs6R7cw$0ZMThWK0fMPqFFxvyOze2hNX2tNCJzcehhlCliK/IgY',
};

export const SITE_KEY = {
  privateKeyPem: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgUAQ+4INc6RNajrg5
zaM2yMuMPQ9LTtCSBYoqg+S9i+OhRANCAARqBcz8m7snLWIYMUraClKo+oOT/iAf
NvPiu0WeJP3gDbwax34ymDIWLFxlffsDaEWu+WJo3NyekP4inhI/Mur/
-----END PRIVATE KEY-----
`,
  certificatePem: `-----BEGIN CERTIFICATE-----
MIIBoDCCAUWgAwIBAgIQT1AEvW8fTX4NEyc06sfF3TAKBggqhkjOPQQDAjAcMRow
GAYDVQQDExFPdXRwb3N0IHNlbGYtdGVzdDAeFw0yNTEyMzEwMDAwMDBaFw0yNzAy
MDIwMDAwMDBaMBwxGjAYBgNVBAMTEU91dHBvc3Qgc2VsZi10ZXN0MFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEagXM/Ju7Jy1iGDFK2gpSqPqDk/4gHzbz4rtFniT9
4A28Gsd+MpgyFixcZX37A2hFrvliaNzcnpD+Ip4SPzLq/6NpMGcwDAYDVR0TAQH/
BAIwADAOBgNVHQ8BAf8EBAMCB4AwEwYDVR0lBAwwCgYIKwYBBQUHAwEwMgYDVR0R
BCswKYcEfwAAAYIPc2VsZi10ZXN0LmxvY2FshxD9AAAAAAAAAAAAAAAAAAABMAoG
CCqGSM49BAMCA0kAMEYCIQDSq+KQV+/TTjtHrlVEvbt8D2hW0PttZEffYIKP0/uT
YwIhAO5gstKk92IV/mJ8iLvH8EecYZxY8klM5id0FF6oyzVp
-----END CERTIFICATE-----
`,
  fingerprint: 'a7b0b26cc703dd1e0c1ff7786044e9f9604631c33b924137ca0b568b2a828b60',
  hosts: ['127.0.0.1', 'self-test.local', 'fd00::1'],
};

export const PAIRING = {
  code: 'ABCD-EFGH-JKMN',
  siteId: 'self-test',
  key: '7d542ad5a7d595da0e7edbd4452e419c9fa0c5262bf5bd56ff9df4557e61ae54',
  proof: 'f9640b5113ca03a3f7566f00de5b1346e94a3c8488faaf4694e2ca2b6a487ee8',
  checkCode: 'D480-D0CD',
};

export const WEBHOOK_SIGNATURE = 'v1,cfEwH6kks49wVeEyasKu7aBP6JqL51C7wUWAhXQQMv8=';

export const SUBJECT_CODE = 'S-6TLGG93U9JYD';

/** `{ rateHz: 250, counts: Int16Array }` with the squares of 0 to 63, as the site stores second columns. */
export const STORED_ARRAYS =
  'T1BBMcrEo/2/AAAAKLUv/SC/fQUAFAo7AAAAeyJyYXRlSHoiOjI1MCwiY291bnRzIjp7IiRhcnJheSI6IkludDE2QSwibGVuZ3RoIjo2NH19AAEECRAZJDFAUWR5kKnE4QAhRGmQueQRQHGk2RBJhMEAQYTJEFmk8UCR5DmQ6UShAGHEKZD5ZNFAsSSZEIkEgQABAgMDAwMEBAQEBQUFBQYGBgcHBwgICQkJCgoKCwsMDA0NDg4PDwQAIAgY7sH1IbRTDw==';

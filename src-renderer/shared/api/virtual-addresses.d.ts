declare module 'virtual:outpost-addresses' {
  export const addresses: import('../../../src-server/api/contract/addresses.ts').AddressTable;
}

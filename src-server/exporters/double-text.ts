/**
 * Doubles as the service's exports print them: the shortest digits that read back as the same double, plain between
 * 0.001 and 10,000,000, else with an exponent (`-1.831082627603564E-4`), always with a decimal point.
 */
export function doubleText(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  if (size >= 1e-3 && size < 1e7) {
    const plain = `${value}`;
    return plain.includes('.') ? plain : `${plain}.0`;
  }
  const [digits = '', exponent] = value.toExponential().split('e');
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
}

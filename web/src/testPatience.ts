// Run before every test file. A busy machine is no bug: what a test looks for comes late there.

/** How long a test waits for something, in milliseconds. Nothing takes this long when all is well. */
export const patience = 20_000

if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: patience })
}

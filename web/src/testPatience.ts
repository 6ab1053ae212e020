// Runs before every test file. A busy machine is not a bug: there, elements appear late.

/** The time that a test waits for something, in milliseconds. Nothing takes this long normally. */
export const patience = 20_000

if (typeof document !== 'undefined') {
  const { configure } = await import('@testing-library/react')
  configure({ asyncUtilTimeout: patience })
}

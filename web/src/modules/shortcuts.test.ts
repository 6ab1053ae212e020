import { expect, it } from 'vitest'
import { modules } from '.'

it('gives every shortcut to one screen only, and none that begins another', () => {
  const given = modules.flatMap((module) =>
    module.routes.flatMap((route) => {
      const shortcut = route.options.staticData?.screen?.shortcut
      return shortcut ? [{ shortcut, path: route.fullPath as string }] : []
    }),
  )
  expect(given.length).toBeGreaterThan(10)
  const twice = given.filter(({ shortcut, path }) => given.some((other) => other.path !== path && (other.shortcut === shortcut || other.shortcut.startsWith(`${shortcut} `))))
  expect(twice).toEqual([])
})

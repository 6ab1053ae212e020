import { useLayoutEffect } from 'react'
import { createStore, useStore } from '@/lib/store'
import { recall, remember } from '@/lib/storage'

/** What the person chose; null while the screen decides. */
const chosen = createStore<'wide' | 'narrow' | null>(read())

function read(): 'wide' | 'narrow' | null {
  const kept = recall('nav')
  return kept === 'wide' || kept === 'narrow' ? kept : null
}

const widths = { wide: '15.5rem', narrow: '3.5rem' } as const

/**
 * Returns whether the navigation shows only icons, and how to change that. It starts narrow on
 * screens with panes and on the settings, which have their own list, until somebody chooses.
 * Elements next to it read its width from `--k-nav-w`.
 */
export function useNavWidth(crowded: boolean): { narrow: boolean; toggle: () => void } {
  const width = useStore(chosen) ?? (crowded ? 'narrow' : 'wide')
  useLayoutEffect(() => {
    const { style } = document.documentElement
    style.setProperty('--k-nav-w', widths[width])
    return () => void style.removeProperty('--k-nav-w')
  }, [width])

  function toggle() {
    const next = width === 'narrow' ? 'wide' : 'narrow'
    remember('nav', next)
    chosen.set(next)
  }
  return { narrow: width === 'narrow', toggle }
}

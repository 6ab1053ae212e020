import { useMemo } from 'react'
import { useMe } from '@/api/session'
import { allEntries } from '@/modules/module'

/** Returns the screens that the person may open. */
export function useEntries() {
  const me = useMe()
  return useMemo(() => allEntries(me), [me])
}

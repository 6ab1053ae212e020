import { createContext } from 'react'

/** Whether the shell's own landmark is around: a page that stands alone brings one. */
export const InsideMain = createContext(false)

import { createContext } from 'react'

/**
 * Whether the page is inside the shell's main landmark; a page outside the shell brings its own.
 */
export const InsideMain = createContext(false)

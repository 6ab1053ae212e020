import { createRootRoute } from '@tanstack/react-router'
import { NotFoundPage, UnexpectedPage } from '@/shell/ErrorPages'

export const rootRoute = createRootRoute({
  notFoundComponent: NotFoundPage,
  errorComponent: UnexpectedPage,
})

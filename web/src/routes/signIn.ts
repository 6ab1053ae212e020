import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { safeNext } from '@/api/session'
import { withTexts } from '@/i18n'
import { rootRoute } from './root'

interface SignInSearch {
  next?: string
  expired?: boolean
}

export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): SignInSearch => ({
    next: search.next === undefined ? undefined : safeNext(search.next),
    expired: search.expired === true || undefined,
  }),
  component: lazyRouteComponent(withTexts(() => import('@/shell/SignInScreen'), 'auth'), 'SignInScreen'),
})

import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { asApiError } from '@/api/error'
import { queryClient } from '@/api/query'
import { meQuery } from '@/api/session'
import { NotFoundPage } from '@/shell/ErrorPages'
import { rootRoute } from './root'

/**
 * The central gate: everything below it has a session; without one the person is sent to the
 * sign-in and back.
 */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  async beforeLoad({ location }) {
    try {
      await queryClient.ensureQueryData(meQuery)
    } catch (error) {
      if (asApiError(error)?.status !== 401) throw error
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } })
    }
  },
  component: lazyRouteComponent(() => import('@/shell/AppShell'), 'AppShell'),
})

/** Unknown addresses: the navigation stays around the page that says so. */
export const strayRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '$',
  component: NotFoundPage,
})

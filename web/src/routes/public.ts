import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { safeNext } from '@/api/session'
import { rootRoute } from './root'

interface NextSearch {
  next?: string
}

function nextOf(search: Record<string, unknown>): NextSearch {
  return { next: search.next === undefined ? undefined : safeNext(search.next) }
}

export const signUpRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('@/modules/account/SignUpScreen'), 'SignUpScreen'),
})

export const verifyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up/verify',
  component: lazyRouteComponent(() => import('@/modules/account/VerifyScreen'), 'VerifyScreen'),
})

export const forgotRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/password/forgot',
  component: lazyRouteComponent(() => import('@/modules/account/ForgotScreen'), 'ForgotScreen'),
})

export const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/password/reset',
  component: lazyRouteComponent(() => import('@/modules/account/ResetScreen'), 'ResetScreen'),
})

/** The query is the app's own, handed to the server as it came. */
export const consentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/consent',
  component: lazyRouteComponent(() => import('@/modules/account/ConsentScreen'), 'ConsentScreen'),
})

export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('@/modules/account/InvitationScreen'), 'InvitationScreen'),
})

export const enterRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/enter',
  component: lazyRouteComponent(() => import('@/modules/account/EnterScreen'), 'EnterScreen'),
})

export const mobileRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/mobile',
  component: lazyRouteComponent(() => import('@/modules/account/MobileScreen'), 'MobileScreen'),
})

/** Pages that need no session: the central gate stands beside them. */
export const publicRoutes = [signUpRoute, verifyRoute, forgotRoute, resetRoute, consentRoute, invitationRoute, enterRoute, mobileRoute] as const

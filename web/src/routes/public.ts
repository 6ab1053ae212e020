import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { safeNext } from '@/api/session'
import { withTexts } from '@/i18n'
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
  component: lazyRouteComponent(withTexts(() => import('@/modules/account/SignUpScreen'), 'auth'), 'SignUpScreen'),
})

export const verifyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-up/verify',
  component: lazyRouteComponent(withTexts(() => import('@/modules/account/VerifyScreen'), 'auth'), 'VerifyScreen'),
})

export const firstOwnerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/first-owner',
  component: lazyRouteComponent(withTexts(() => import('@/modules/account/FirstOwnerScreen'), 'auth'), 'FirstOwnerScreen'),
})

export const forgotRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/password/forgot',
  component: lazyRouteComponent(withTexts(() => import('@/modules/account/ForgotScreen'), 'auth'), 'ForgotScreen'),
})

export const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/password/reset',
  component: lazyRouteComponent(withTexts(() => import('@/modules/account/ResetScreen'), 'auth'), 'ResetScreen'),
})

/** The query is the app's own and is passed to the server unchanged. */
export const consentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/consent',
  component: lazyRouteComponent(withTexts(() => import('@/modules/account/ConsentScreen'), 'auth'), 'ConsentScreen'),
})

export const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(withTexts(() => import('@/modules/account/InvitationScreen'), 'auth'), 'InvitationScreen'),
})

export const enterRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/enter',
  component: lazyRouteComponent(withTexts(() => import('@/modules/account/EnterScreen'), 'auth'), 'EnterScreen'),
})

export const mobileRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/mobile',
  component: lazyRouteComponent(withTexts(() => import('@/modules/account/MobileScreen'), 'auth'), 'MobileScreen'),
})

/** Pages that need no session, next to the central gate. */
export const publicRoutes = [signUpRoute, verifyRoute, firstOwnerRoute, forgotRoute, resetRoute, consentRoute, invitationRoute, enterRoute, mobileRoute] as const

import { createRouter } from '@tanstack/react-router'
import { screenRoutes } from './modules'
import { publicRoutes } from './routes/public'
import { rootRoute } from './routes/root'
import { shellRoute } from './routes/shell'
import { signInRoute } from './routes/signIn'

const routeTree = rootRoute.addChildren([signInRoute, ...publicRoutes, shellRoute.addChildren(screenRoutes)])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingMs: 300,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

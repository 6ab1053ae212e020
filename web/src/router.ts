import { createRouter } from '@tanstack/react-router'
import { modules, screenRoutes } from './modules'
import { installModules } from './modules/module'
import { publicRoutes } from './routes/public'
import { rootRoute } from './routes/root'
import { shellRoute, strayRoute } from './routes/shell'
import { signInRoute } from './routes/signIn'
import { UnexpectedPage } from './shell/ErrorPages'

installModules(modules)

const routeTree = rootRoute.addChildren([signInRoute, ...publicRoutes, shellRoute.addChildren([...screenRoutes, strayRoute])])

export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingMs: 300,
  // If a screen breaks, the navigation around it stays.
  defaultErrorComponent: UnexpectedPage,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

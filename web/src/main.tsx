import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, StrictMode, Suspense } from 'react'
import { createRoot } from 'react-dom/client'
import { onSignedOut } from './api/client'
import { queryClient } from './api/query'
import { forgetSession } from './api/session'
import { startI18n } from './i18n'
import { isFetchingAhead } from './lib/part'
import { recall, remember } from './lib/storage'
import { startTheme } from './lib/theme'
import { router } from './router'
import { publicRoutes } from './routes/public'
import { signInRoute } from './routes/signIn'
import { startShortcuts } from './shell/shortcuts'
import { Toaster } from './ui/Toast'
import './styles/app.css'

// No tip is needed before something is pointed at; a page that cannot fetch them works without.
const Tooltips = lazy(() => import('./ui/Tooltip').then((m) => ({ default: m.Tooltips }), () => ({ default: () => null })))

// A new release removes the old one's files: a page that still requests them reloads, but not
// repeatedly if the file is really gone.
window.addEventListener('vite:preloadError', () => {
  // A page in use is not reloaded because of a file that nobody has opened yet.
  if (isFetchingAhead()) return
  const last = Number(recall('reloadedAt') ?? 0)
  if (Date.now() - last < 30_000) return
  // Without a connection a reload would lose the current page.
  fetch('/api/v1/meta').then(
    () => {
      remember('reloadedAt', String(Date.now()))
      window.location.reload()
    },
    () => undefined,
  )
})

/** On pages that need no session, its end is not announced. */
const publicPaths = new Set<string>([signInRoute.fullPath, ...publicRoutes.map((route) => route.fullPath)])

onSignedOut(() => {
  const { pathname, href } = router.state.location
  if (publicPaths.has(pathname)) return
  void router.navigate({ to: '/sign-in', search: { next: href, expired: true } }).then(() => forgetSession(queryClient))
})

startTheme()
startShortcuts()
await startI18n()

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no #root')
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Toaster />
      <Suspense>
        <Tooltips />
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
)

import { lazy, Suspense } from 'react'
import { cx } from '@/lib/cx'
import type { FramedProps, LayerProps } from './Layer'

// The library behind layers is fetched with the first layer, or when the shell is idle.
const LazyLayer = lazy(() => import('./Layer').then((m) => ({ default: m.Layer })))

function Layer(props: FramedProps) {
  if (!props.open) return null
  return (
    <Suspense>
      <LazyLayer {...props} />
    </Suspense>
  )
}

export function Dialog({ wide, ...props }: LayerProps & { wide?: boolean }) {
  return (
    <Layer
      {...props}
      frame={cx(
        'inset-x-0 bottom-0 max-h-[92dvh] animate-rise rounded-t-xl',
        'sm:inset-x-auto sm:top-[12vh] sm:bottom-auto sm:left-1/2 sm:max-h-[78vh] sm:-translate-x-1/2 sm:rounded-xl',
        wide ? 'sm:w-[min(52rem,calc(100vw-3rem))]' : 'sm:w-[min(30rem,calc(100vw-3rem))]',
      )}
    />
  )
}

/** A panel at the side: for long forms and details that keep the page in view. */
export function Drawer({ side = 'end', ...props }: LayerProps & { side?: 'start' | 'end' }) {
  return (
    <Layer
      {...props}
      frame={cx(
        'inset-y-0 w-[min(34rem,100vw)]',
        side === 'end' ? 'right-0 animate-slide-end' : 'left-0 animate-slide',
      )}
    />
  )
}

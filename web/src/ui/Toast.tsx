import * as Radix from '@radix-ui/react-toast'
import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useI18n } from '@/i18n'
import { createStore, useStore } from '@/lib/store'
import { IconButton } from './Button'

interface ToastItem {
  id: number
  tone: 'ok' | 'danger'
  title: string
  detail?: string
}

const items = createStore<ToastItem[]>([])
let lastId = 0

/** News of something that already happened; what needs an answer stands in place instead. */
export function toast(tone: ToastItem['tone'], title: string, detail?: string): void {
  lastId += 1
  const item = { id: lastId, tone, title, detail }
  items.set((now) => [...now.slice(-2), item])
}

function dismiss(id: number): void {
  items.set((now) => now.filter((item) => item.id !== id))
}

export function Toaster() {
  const { t } = useI18n()
  const shown = useStore(items)
  return (
    <Radix.Provider label={t('toast.region')} duration={5000}>
      {shown.map((item) => (
        <Radix.Root
          key={item.id}
          type={item.tone === 'danger' ? 'foreground' : 'background'}
          onOpenChange={(open) => !open && dismiss(item.id)}
          className="pointer-events-auto flex w-full animate-rise items-start gap-2.5 rounded-lg border border-line bg-surface py-2.5 pr-1.5 pl-3.5 shadow-2"
        >
          {item.tone === 'ok' ? (
            <CircleCheck aria-hidden className="mt-2 size-4.5 shrink-0 text-ok-ink" />
          ) : (
            <CircleAlert aria-hidden className="mt-2 size-4.5 shrink-0 text-danger-ink" />
          )}
          <div className="min-w-0 flex-1 py-1.5 text-sm">
            <Radix.Title className="font-medium break-words">{item.title}</Radix.Title>
            {item.detail && <Radix.Description className="text-ink-2 break-words">{item.detail}</Radix.Description>}
          </div>
          <Radix.Close asChild>
            <IconButton icon={X} label={t('common.close')} />
          </Radix.Close>
        </Radix.Root>
      ))}
      <Radix.Viewport label={t('toast.region')} className="pointer-events-none fixed top-17 left-4 z-60 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2 sm:top-auto sm:bottom-4 lg:left-66" />
    </Radix.Provider>
  )
}

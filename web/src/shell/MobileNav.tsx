import * as Radix from '@radix-ui/react-dialog'
import { useI18n } from '@/i18n'
import { Scrim } from '@/ui/Scrim'
import { SideNav } from './SideNav'

export function MobileNav({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { t } = useI18n()
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Scrim />
        <Radix.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-50 w-[min(18rem,85vw)] animate-slide shadow-2 lg:hidden"
        >
          <Radix.Title className="sr-only">{t('nav.label')}</Radix.Title>
          <SideNav onNavigate={() => onOpenChange(false)} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

import * as Radix from '@radix-ui/react-tooltip'
import type { ReactNode } from 'react'

export const TooltipProvider = Radix.Provider

export function Tooltip({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-60 max-w-64 animate-fade rounded-md bg-ink px-2 py-1 text-xs text-bg shadow-2"
        >
          {label}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

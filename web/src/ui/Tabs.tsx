import * as Radix from '@radix-ui/react-tabs'
import type { ReactNode } from 'react'
import { cx } from '@/lib/cx'

interface Tab {
  id: string
  label: string
  content: ReactNode
}

interface TabsProps {
  label: string
  tabs: Tab[]
  value?: string
  onChange?: (id: string) => void
}

export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <Radix.Root defaultValue={value === undefined ? tabs[0]?.id : undefined} value={value} onValueChange={onChange}>
      <Radix.List aria-label={label} className="flex gap-1 overflow-x-auto border-b border-line">
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.id}
            value={tab.id}
            className={cx(
              '-mb-px h-10 border-b-2 border-transparent px-3 text-sm font-medium whitespace-nowrap text-ink-2',
              'hover:text-ink focus-visible:-outline-offset-2',
              'data-[state=active]:border-accent data-[state=active]:text-ink',
            )}
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content key={tab.id} value={tab.id} className="pt-4">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

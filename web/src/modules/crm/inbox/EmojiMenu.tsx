import { Smile } from 'lucide-react'
import { useI18n } from '@/i18n'
import { IconButton } from '@/ui/Button'
import { Menu } from '@/ui/Menu'
import { emojis } from './emoji'

/** Shows all emojis at once, for people who do not know their names. */
export function EmojiMenu({ onChoose }: { onChoose: (sign: string) => void }) {
  const { t, language } = useI18n()
  return (
    <Menu align="start" trigger={<IconButton icon={Smile} label={t('emoji.title')} />}>
      <div className="grid grid-cols-8 gap-0.5">
        {emojis.map(([sign, english = '', turkish = english]) => (
          <button
            key={sign}
            type="button"
            role="menuitem"
            tabIndex={-1}
            aria-label={language === 'tr' ? turkish : english}
            title={language === 'tr' ? turkish : english}
            onClick={(event) => {
              event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover()
              onChoose(sign)
            }}
            className="flex size-8 items-center justify-center rounded-md text-lg hover:bg-sunken focus:bg-sunken"
          >
            {sign}
          </button>
        ))}
      </div>
    </Menu>
  )
}

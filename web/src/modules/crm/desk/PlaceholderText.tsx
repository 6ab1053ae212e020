import { Braces } from 'lucide-react'
import { useRef } from 'react'
import { useI18n, type PlainKey } from '@/i18n'
import { Button } from '@/ui/Button'
import { Field, Textarea } from '@/ui/Field'
import { Menu, MenuItem } from '@/ui/Menu'

const placeholders: Record<string, PlainKey> = {
  'contact.first_name': 'placeholders.firstName',
  'contact.last_name': 'placeholders.lastName',
  'contact.name': 'placeholders.name',
  'contact.company': 'placeholders.company',
  'contact.email': 'placeholders.email',
  'contact.phone': 'placeholders.phone',
  'agent.name': 'placeholders.agent',
  'conversation.subject': 'placeholders.subject',
}

interface PlaceholderTextProps {
  label: string
  value: string
  error: string | null
  rows?: number
  onChange: (value: string) => void
}

/** A text with placeholders that are filled in when it is used, such as the customer's name. */
export function PlaceholderText({ label, value, error, rows = 4, onChange }: PlaceholderTextProps) {
  const { t } = useI18n()
  const area = useRef<HTMLTextAreaElement>(null)

  function insert(name: string) {
    const element = area.current
    const from = element?.selectionStart ?? value.length
    const to = element?.selectionEnd ?? value.length
    onChange(`${value.slice(0, from)}{{${name}}}${value.slice(to)}`)
  }

  return (
    <div className="flex flex-col items-start gap-2">
      <Field label={label} hint={t('placeholders.hint', { example: '{{contact.first_name|…}}' })} error={error} className="w-full">
        <Textarea ref={area} rows={rows} value={value} onChange={(event) => onChange(event.target.value)} />
      </Field>
      <Menu
        align="start"
        trigger={
          <Button size="sm" icon={Braces}>
            {t('placeholders.insert')}
          </Button>
        }
      >
        {Object.entries(placeholders).map(([name, words]) => (
          <MenuItem key={name} onSelect={() => insert(name)}>
            {t(words)}
          </MenuItem>
        ))}
      </Menu>
    </div>
  )
}
